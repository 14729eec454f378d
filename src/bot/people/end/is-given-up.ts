import type { WithdrawnWhy } from '../../../publish/request/request-texts.ts';
import type { HumanRequest } from '../../../store/records.ts';

const FOR_GOOD: ReadonlySet<WithdrawnWhy> = new Set([
  'replaced',
  'stopped',
  'closed',
  'comment-deleted',
  'uninstalled',
]);

/** Whether what waited for it is not to go on: it was withdrawn, and not only to be asked anew (S3). Pure. */
export function isGivenUp({ state, answer }: HumanRequest): boolean {
  return state === 'cancelled' && FOR_GOOD.has(answer?.value as WithdrawnWhy);
}
