import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Ends the running turn, or lets nothing wait for people any longer (S2). Resolves when it has ended. */
export const stopCommand: HumanCommandHandler = async (command) => {
  const { place, services } = command;
  const { session } = command.intake;
  const texts = textsFor(command);
  const { live, people } = services;
  const running = live.of(session);
  await running?.stop();
  const withdrawn = (await people?.withdraw(session, 'stopped', place)) ?? 0;
  if (running) return success(texts.stopped);
  return success(withdrawn > 0 ? texts.withdrawn : texts.nothingRuns);
};
