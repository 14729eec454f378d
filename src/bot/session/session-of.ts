import type { SessionId } from '../../harness/session/types.ts';
import type { Subjects } from '../../store/records.ts';
import type { ReadSubject } from '../../triggers/reading.ts';
import { issueOf, sessionIdOf } from './session-id.ts';

type Place = Pick<ReadSubject, 'repo' | 'subject' | 'markedSession'>;

/**
 * The session of an issue or pull request: the stored one, else the one that the pull request's marker names, as far as
 * its issue was not forgotten since, else its own first (T9).
 */
export async function sessionOf(place: Place, subjects: Pick<Subjects, 'sessionOf'>): Promise<SessionId> {
  const { repo, subject, markedSession } = place;
  const stored = await subjects.sessionOf(repo.id, subject.number);
  if (stored !== undefined) return stored;
  if (markedSession === undefined) return sessionIdOf(place);
  const issue = issueOf(markedSession);
  return (issue === undefined ? undefined : await subjects.sessionOf(repo.id, issue)) ?? markedSession;
}
