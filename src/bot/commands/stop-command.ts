import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/**
 * Ends the running turn and those that wait for their place, and lets nothing wait for people any longer (S2). Resolves when
 * it has ended.
 */
export const stopCommand: HumanCommandHandler = async (command) => {
  const { place, services } = command;
  const { session } = command.intake;
  const texts = textsFor(command);
  const { live, people } = services;
  const running = live.of(session);
  // Before the running one ends, or the next one begins.
  const queued = live.withdraw(session, undefined);
  await running?.stop();
  const withdrawn = (await people?.withdraw(session, 'stopped', place)) ?? 0;
  const ended = [
    ...(running ? [texts.stopped] : withdrawn > 0 ? [texts.withdrawn] : []),
    ...(queued > 0 ? [texts.unqueued(queued)] : []),
  ];
  return success(ended.join(' ') || texts.nothingRuns);
};
