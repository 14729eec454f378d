import { relative } from 'node:path';
import type { Env } from './env.ts';

/** Whether what is stored here is gone when the job of GitHub Actions ends: a runner empties its temporary folder. */
export function endsWithRun({ RUNNER_TEMP, DATABASE_URL, dataDir }: Env): boolean {
  if (RUNNER_TEMP === undefined || DATABASE_URL !== undefined) return false;
  return !/^\.\.(\/|$)/.test(relative(RUNNER_TEMP, dataDir));
}
