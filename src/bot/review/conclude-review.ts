import type { ContinuationDecision } from '../../harness/agent/types.ts';
import { hostNote } from '../context/host-note.ts';
import type { Workplace } from '../job/job-kind.ts';
import { postReview } from './post-review.ts';
import { readOthers } from './read-others.ts';
import { standingOf } from './review-standing.ts';
import type { Review } from './review-state.ts';
import { isSuperseded } from './superseded.ts';

/**
 * The first reader is done: others read what it was not shown, each finding is held against earlier reviews and looked at
 * afresh, and what is left is posted as one review (R5–R9).
 */
export async function concludeReview(workplace: Workplace, review: Review): Promise<ContinuationDecision> {
  if (await isSuperseded(review, workplace.signal)) return { action: 'stop' };
  if (!review.othersHaveRead) {
    review.othersHaveRead = true;
    const said = await readOthers(workplace, review);
    if (said !== undefined) return { action: 'continue', reason: hostNote(said) };
  }
  const standing = await standingOf(workplace, review);
  review.result = await postReview(workplace, review, standing);
  return { action: 'stop' };
}
