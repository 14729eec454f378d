import { nextGeneration } from '../session/session-id.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** The next command starts a new session on every subject of this one; what was kept of it is archived, or erased at once. */
export const forgetCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const texts = textsFor(command);
  const { session, reading } = intake;
  const { live, people, records, now } = services;
  await live.of(session)?.stop();
  await people?.withdraw(session, 'forgotten', place);
  const next = nextGeneration(session);
  const { repo, subject } = reading;
  for (const one of await records.subjects.of(session)) await records.subjects.assign(one.repo, one.number, next);
  await records.subjects.assign(repo.id, subject.number, next);
  if (reading.command.flags.delete) {
    await records.settings.erase(session);
    return success(texts.erased);
  }
  await records.settings.set(session, { archivedAt: now().getTime() });
  await records.snapshots.drop(session);
  return success(texts.forgotten);
};
