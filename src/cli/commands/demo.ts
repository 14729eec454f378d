import { demoExitCode } from '../demo-exit-code.ts';
import { runDemo } from '../demo.ts';
import { interruptionOf } from '../interruption.ts';
import type { Output } from '../output.ts';

/** Tells the demo's story. Returns the exit code. */
export async function demo(live: boolean, output: Output): Promise<number> {
  const signal = interruptionOf(output);
  const result = await runDemo({ live, say: output.say, variables: process.env, signal });
  output.result(result);
  return demoExitCode(result, signal.aborted);
}
