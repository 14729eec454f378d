import { SessionId } from '../harness/session/types.ts';
import type { EventRepository, SubjectRef } from '../triggers/reading.ts';

/** Numeric ids survive renames. The last part counts generations: forgetting a session starts the next one. */
export function sessionIdOf({ repo, subject }: { repo: EventRepository; subject: SubjectRef }): SessionId {
  return SessionId(`gh-${repo.id}-${subject.number}-1`);
}
