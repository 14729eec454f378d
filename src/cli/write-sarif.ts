import { writeFile } from 'node:fs/promises';
import type { JobOutcome } from '../bot/job/job.ts';
import { DshError } from '../errors.ts';
import { toSarif } from '../publish/review/sarif.ts';

/**
 * Writes the findings of the review among these outcomes for code scanning (R9). False where none was made: then there is
 * no file, rather than one that says that all is well. Throws `USAGE` where the file cannot be written.
 */
export async function writeSarif(
  outcomes: readonly (JobOutcome | undefined)[],
  file: string,
  version: string,
): Promise<boolean> {
  const produced = outcomes.map((outcome) => outcome?.produced);
  const review = produced.find((one) => one?.kind === 'review' || one?.kind === 'findings');
  if (!review || (review.kind !== 'review' && review.kind !== 'findings')) return false;
  const log = toSarif(review.findings, { version, ...review.reviewed });
  await writeFile(file, `${JSON.stringify(log, null, 2)}\n`).catch((cause: unknown) => {
    throw new DshError(`${file} could not be written.`, 'USAGE', 'Name a file in a folder that is there.', { cause });
  });
  return true;
}
