import type { Intake } from '../../triggers/intake.ts';
import { approvedCause, comesFrom } from '../job/job-cause.ts';
import type { BotServices, Place } from '../job/services.ts';

/**
 * Ends what runs, waits or is queued of a session, because its subject was closed or what started it is gone (S3).
 * Returns how much that was.
 */
export async function endSession(
  { session, why, reading }: Extract<Intake, { kind: 'end' }>,
  place: Place,
  { live, people, records }: BotServices,
): Promise<number> {
  const { of: cause, commentId, repo, delivery } = reading;
  // From now on nobody can begin it, wherever its delivery may be.
  for (const one of cause === undefined ? [] : [cause, approvedCause(cause)])
    await records.causes.take(repo.id, one, delivery);
  const queued = live.withdraw(session, cause);
  const withdrawn =
    (await people?.withdraw(session, why, place, cause === undefined ? undefined : { cause, commentId })) ?? 0;
  const running = live.of(session);
  const isMeant = running !== undefined && (cause === undefined || comesFrom(running.cause, cause));
  if (isMeant) await running.stop();
  return queued + withdrawn + (isMeant ? 1 : 0);
}
