import type { Handled } from '../handle-event.ts';

/** Exit codes of every command (docs/cli.md). */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, noSandbox: 4, parked: 5, interrupted: 130 } as const;

/** Known before any turn: a wrong call, a wrong configuration, a missing key. */
const USAGE_CODES = new Set([
  'USAGE',
  'CONFIG_INVALID',
  'CONFIG_NOT_ALLOWED',
  'MODEL_NOT_CONFIGURED',
  'GITHUB_NOT_CONFIGURED',
]);

/** The word for an exit code: `done`, `failed`, `usage`, … */
export function statusOfExit(exitCode: number): string {
  return Object.entries(EXIT).find(([, code]) => code === exitCode)?.[0] ?? 'failed';
}

export function exitCodeOf(handled: readonly Handled[]): number {
  return Math.max(EXIT.done, ...handled.map(codeOf));
}

function codeOf(handled: Handled): number {
  switch (handled.status) {
    case 'completed':
    case 'ignored':
    case 'replied':
      return EXIT.done;
    case 'refused':
      return EXIT.refused;
    case 'parked':
      return EXIT.parked;
    case 'stopped':
      return handled.outcome?.problem?.code === 'BUDGET' ? EXIT.refused : EXIT.interrupted;
    case 'failed':
      return exitCodeOfProblem(handled.outcome?.problem?.code ?? handled.problem?.code);
  }
}

export function exitCodeOfProblem(code: string | undefined): number {
  if (code === 'SANDBOX_UNAVAILABLE') return EXIT.noSandbox;
  if (code === 'INTERRUPTED') return EXIT.interrupted;
  if (code === 'NOT_ALLOWED') return EXIT.refused;
  return code !== undefined && USAGE_CODES.has(code) ? EXIT.usage : EXIT.failed;
}
