import { makeInert } from '../../publish/markdown/inert.ts';
import { isParked } from '../../harness/agent/session-log.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import '../../seams/commands/command-service.ts';
import { goalWord } from '../../seams/goal/goal-word.ts';
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
    async ({ ctx, agent }) => {
      // What is changed now would stand behind the answer, and be told to nobody until then.
      const mayWait = intake.name !== 'goal' || goalWord(intake.reading.command.text).kind === 'show';
      if (!mayWait && isParked(agent.session)) return failure(textsFor({ intake, place }).goalWaits);
      return ctx.commands.execute(agent, line, place.signal);
    },
    place.config.language,
  );
}
