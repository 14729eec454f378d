import { inertTitle } from '../../publish/markdown/inert-title.ts';
import '../../seams/commands/command-service.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

const MAX_CHARS = 120;

/** Names the session, in its log: in the turn that runs, or between turns. */
export const titleCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const { live, redact, atDesk } = services;
  const { session } = intake;
  const texts = textsFor(command);
  const title = redact(intake.reading.command.text.replaceAll(/\s+/g, ' ').trim());
  if (title === '') return failure(texts.writeTitle);
  if (title.length > MAX_CHARS) return failure(texts.longTitle(MAX_CHARS));
  const line = `/title ${title}`;
  const running = live.of(session);
  const named = running
    ? await running.command(line, place.signal)
    : await atDesk(session, place.signal, ({ ctx, agent }) => ctx.commands.execute(agent, line, place.signal));
  if (!named) return failure(texts.noSession);
  return named.kind === 'success' ? success(texts.titled(inertTitle(named.text ?? title))) : failure(texts.writeTitle);
};
