import type { SessionId } from '../../harness/session/types.ts';
import type { BotServices } from '../job/services.ts';
import { nextGeneration } from '../session/session-id.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** The next command starts a new session on every subject of this one; what was kept of it is archived, or erased at once. */
export const forgetCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const texts = textsFor(command);
  const { session, reading } = intake;
  const { live, people, records } = services;
  live.withdraw(session, undefined);
  await live.of(session)?.stop();
  await people?.withdraw(session, 'forgotten', place);
  const subjects = await records.subjects.of(session);
  const isErased = reading.command.flags.delete !== undefined;
  await (isErased ? records.settings.erase(session) : archive(session, services));
  // Last, and its own subject after the others: who repeats this after a crash still finds the session meant.
  const next = nextGeneration(session);
  for (const one of subjects) await records.subjects.assign(one.repo, one.number, next);
  await records.subjects.assign(reading.repo.id, reading.subject.number, next);
  return success(isErased ? texts.erased : texts.forgotten);
};

async function archive(session: SessionId, { records, now }: BotServices): Promise<void> {
  await records.settings.set(session, { archivedAt: now().getTime() });
  await records.snapshots.drop(session);
}
