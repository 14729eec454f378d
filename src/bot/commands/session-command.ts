import { makeInert } from '../../publish/markdown/inert.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import '../../seams/commands/command-service.ts';
import { textsFor } from './command-texts.ts';
import { failure } from './human-command.ts';
import type { HumanCommand, HumanCommandHandler } from './human-command.ts';

/** A command to the session's own agent: to the one whose turn runs, else between its turns. */
export const sessionCommand: HumanCommandHandler = async (command) => {
  const { name, reading } = command.intake;
  const { text } = reading.command;
  const result = await execute(command, text === '' ? `/${name}` : `/${name} ${text}`);
  if (!result) return failure(textsFor(command).noSession);
  // What it tells holds words of people, and of the model.
  return result.text ? { ...result, text: makeInert(command.services.redact(result.text)) } : result;
};

async function execute({ intake, place, services }: HumanCommand, line: string): Promise<CommandResult | undefined> {
  const running = services.live.of(intake.session);
  if (running) return running.command(line, place.signal);
  return services.atDesk(
    intake.session,
    place.signal,
    ({ ctx, agent }) => ctx.commands.execute(agent, line, place.signal),
    place.config.language,
  );
}
