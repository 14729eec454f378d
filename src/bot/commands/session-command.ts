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
  return result ?? failure(textsFor(command).noSession);
};

async function execute({ intake, place, services }: HumanCommand, line: string): Promise<CommandResult | undefined> {
  const running = services.live.of(intake.session);
  if (running) return running.command(line, place.signal);
  return services.atDesk(intake.session, place.signal, ({ ctx, agent }) =>
    ctx.commands.execute(agent, line, place.signal),
  );
}
