import { checkResult } from '../../seams/commands/check-result.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import type { BotServices, Place } from '../job/services.ts';
import { budgetCommand } from './budget-command.ts';
import { compactCommand } from './compact-command.ts';
import { configCommand } from './config-command.ts';
import { forgetCommand } from './forget-command.ts';
import { helpCommand } from './help-command.ts';
import { textsFor } from './command-texts.ts';
import { failure } from './human-command.ts';
import type { CommandIntake, HumanCommandHandler } from './human-command.ts';
import { logCommand } from './log-command.ts';
import { modelCommand } from './model-command.ts';
import { sessionCommand } from './session-command.ts';
import { spokenLanguage } from './spoken-language.ts';
import { statusCommand } from './status-command.ts';
import { stopCommand } from './stop-command.ts';
import { titleCommand } from './title-command.ts';
import { toldWhenFailed } from './told-when-failed.ts';
import { undoCommand } from './undo-command.ts';

const HANDLERS: Partial<Readonly<Record<CommandName, HumanCommandHandler>>> = {
  help: helpCommand,
  status: statusCommand,
  stop: stopCommand,
  model: modelCommand,
  budget: budgetCommand,
  title: titleCommand,
  log: logCommand,
  compact: compactCommand,
  forget: forgetCommand,
  config: configCommand,
  goal: sessionCommand,
  undo: undoCommand,
};

/**
 * Answers a command that needs no model. What its handler returns is checked as any command's is (C14); its failures are
 * told to whoever commanded, but for those after which the delivery is worked again.
 */
export async function answerCommand(
  intake: CommandIntake,
  given: Place,
  services: BotServices,
): Promise<CommandResult> {
  const { name, session } = intake;
  const place = await inItsLanguage(intake, given, services);
  const handler = services.handlers[name] ?? HANDLERS[name];
  const texts = textsFor({ intake, place });
  if (!handler) return failure(texts.notHere(`/dsh ${name}`));
  return toldWhenFailed({ command: name, session, place, services, texts }, async (signal) =>
    checkResult(name, await handler({ intake, place: { ...place, signal }, services })),
  );
}

/** A command without words is answered in the language that the session was spoken to in, unless one is configured. */
async function inItsLanguage(
  { session, reading }: CommandIntake,
  place: Place,
  { sessions, log }: BotServices,
): Promise<Place> {
  const { config } = place;
  if (config.language !== undefined || reading.command.text !== '') return place;
  try {
    const language = (await sessions.has(session))
      ? spokenLanguage((await sessions.inspect(session)).events)
      : undefined;
    return language ? { ...place, config: { ...config, language } } : place;
  } catch (error) {
    log(`the log of ${session} could not be read`, error);
    return place;
  }
}
