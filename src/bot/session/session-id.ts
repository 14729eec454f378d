import { SessionId } from '../../harness/session/types.ts';
import type { EventRepository, SubjectRef } from '../../triggers/reading.ts';

/** Numeric ids survive renames. The last part counts generations: forgetting a session starts the next one. */
export function sessionIdOf({ repo, subject }: { repo: EventRepository; subject: SubjectRef }): SessionId {
  return SessionId(`gh-${repo.id}-${subject.number}-1`);
}

/** The issue or pull request that a session began with; undefined for a session that began with none. */
export function issueOf(session: SessionId): number | undefined {
  const number = /^gh-\d+-(\d+)-\d+$/.exec(session)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The session after this one was forgotten. */
export function nextGeneration(session: SessionId): SessionId {
  return SessionId(session.replace(/\d+$/, (generation) => String(Number(generation) + 1)));
}
