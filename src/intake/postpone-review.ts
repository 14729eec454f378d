import type { Config } from '../config/config.ts';
import { reviewDueAt } from '../triggers/automatic-review.ts';
import type { GitHubEvent, Reading } from '../triggers/reading.ts';

/** Keeps an event to be handled again at `dueAt` (epoch milliseconds), by whichever process is there then. */
export type Postpone = (event: GitHubEvent, dueAt: number) => Promise<void>;

const LATER = '-later';

/** An event that waited is only about the review that waited: the rest of it was handled when it came. */
export function readingsLeft(event: GitHubEvent, readings: readonly Reading[]): readonly Reading[] {
  return isDue(event) ? readings.filter(({ kind }) => kind === 'pull-request') : readings;
}

/** Whether the review that an event asks for was put off, as a push is that another may follow (R13). */
export async function postponeReview(
  event: GitHubEvent,
  reading: Reading,
  { review }: Pick<Config, 'review'>,
  { postpone, now }: { readonly postpone: Postpone | undefined; readonly now: () => Date },
): Promise<boolean> {
  if (!postpone || isDue(event)) return false;
  const dueAt = reviewDueAt(reading, review, now().getTime());
  if (dueAt === undefined) return false;
  await postpone({ ...event, delivery: `${event.delivery}${LATER}` }, dueAt);
  return true;
}

function isDue({ delivery }: GitHubEvent): boolean {
  return delivery.endsWith(LATER);
}
