import type { FinishedCall } from './finished-calls.ts';

const IN_A_ROW = 3;
const MAX_NOTES = 2;

/** The file of which the last call was the third edit in a row that failed; at most twice for one file (PR36). Pure. */
export function fileOfFailedEdits(calls: readonly FinishedCall[]): string | undefined {
  const last = calls.at(-1);
  const path = last && pathOf(last);
  if (path === undefined || !last?.isError) return undefined;
  const edits = calls.filter((call) => pathOf(call) === path);
  const streaks = streaksOf(edits);
  const current = streaks.at(-1) ?? 0;
  const notes = streaks.reduce((sum, failures) => sum + Math.floor(failures / IN_A_ROW), 0);
  return current % IN_A_ROW === 0 && notes <= MAX_NOTES ? path : undefined;
}

/** Lengths of the runs of failures. */
function streaksOf(edits: readonly FinishedCall[]): number[] {
  const streaks = [0];
  for (const { isError } of edits) {
    if (isError) streaks[streaks.length - 1]! += 1;
    else streaks.push(0);
  }
  return streaks;
}

function pathOf({ name, arguments: input }: FinishedCall): string | undefined {
  if (name !== 'edit' || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  return typeof input.file_path === 'string' ? input.file_path : undefined;
}
