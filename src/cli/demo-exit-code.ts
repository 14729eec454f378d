import type { DemoResult } from './demo.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';

/** What the story came to, where it came to an outcome; else it was interrupted, or never began. Pure. */
export function demoExitCode(
  { passed, outcome }: Pick<DemoResult, 'passed' | 'outcome'>,
  isInterrupted: boolean,
): number {
  if (passed) return EXIT.done;
  if (outcome) return exitCodeOf([{ status: outcome.status, outcome }]) || EXIT.failed;
  return isInterrupted ? EXIT.interrupted : EXIT.failed;
}
