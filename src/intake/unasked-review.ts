import { isUntoldPush } from '../bot/review/is-untold-push.ts';
import { skipReview } from '../bot/review/skip-review.ts';
import type { Intake } from '../triggers/intake.ts';
import type { Carrying } from './carrying.ts';

/** A review that nobody asked for is made once for each head, the newest, and within its author's limit. */
export async function whyNoReview({ reading, job }: Extract<Intake, { kind: 'turn' }>, carrying: Carrying) {
  if (reading.kind !== 'pull-request' || job !== 'review') return undefined;
  const { access, signal, session } = carrying;
  const { records, now, log } = carrying.host.services;
  return skipReview(reading, { access, session, spending: records.spending, now, log, signal });
}

/** Asked only where each push of a person starts a review. */
export async function isUntoldHead(
  headSha: string,
  { access, config, signal, host }: Pick<Carrying, 'access' | 'config' | 'signal' | 'host'>,
): Promise<boolean> {
  if (config.review.auto !== 'every-push' || signal.aborted) return false;
  return isUntoldPush(access, headSha, config, signal).catch((error: unknown) => {
    host.services.log('the commit of a newer head could not be read', error);
    return false;
  });
}
