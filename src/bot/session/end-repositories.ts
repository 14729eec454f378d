import type { SessionId } from '../../harness/session/types.ts';
import type { Removed } from '../../triggers/read-installation.ts';
import type { BotServices } from '../job/services.ts';

/** Ends what runs and waits in repositories that we may no longer enter (S3). Returns how many sessions that was. */
export async function endRepositories(
  { why, repositories }: Removed,
  { live, people, records }: Pick<BotServices, 'live' | 'people' | 'records'>,
): Promise<number> {
  const gone = new Set(repositories);
  const waiting = (await records.requests.open()).filter(({ repo }) => gone.has(repo)).map(({ session }) => session);
  const sessions = new Set<SessionId>([
    ...waiting,
    ...live.sessions.filter((session) => gone.has(Number(/^gh-(\d+)-/.exec(session)?.[1]))),
  ]);
  for (const session of sessions) {
    live.withdraw(session, undefined);
    await people?.withdraw(session, why, undefined);
    await live.of(session)?.stop();
  }
  return sessions.size;
}
