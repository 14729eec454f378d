import { makeInert } from '../../publish/markdown/inert.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import type { Intake } from '../../triggers/intake.ts';
import type { BotServices, Place } from '../job/services.ts';
import { COMMAND_TEXTS } from './command-texts.ts';
import type { CommandTexts } from './command-texts.ts';
import { failure } from './human-command.ts';
import { languageOf } from '../../publish/language.ts';
import { toldWhenFailed } from './told-when-failed.ts';

type PluggedIntake = Extract<Intake, { kind: 'plugged' }>;

/** Answers a command that a plugin brought: by the agent whose turn runs, else by the session's between its turns (C9). */
export async function answerPlugged(
  intake: PluggedIntake,
  place: Place,
  services: BotServices,
): Promise<CommandResult> {
  const texts = textsOf(intake, place);
  return (await tryPlugged(intake, place, services)) ?? failure(texts.noSession);
}

/** Undefined where the session has no log, or its agent does not understand it. Its text may not be ours: it is made inert. */
export function tryPlugged(
  intake: PluggedIntake,
  place: Place,
  services: BotServices,
): Promise<CommandResult | undefined> {
  const { line, session } = intake;
  const command = line.split(/\s/, 1)[0]!.slice(1);
  return toldWhenFailed({ command, session, place, services, texts: textsOf(intake, place) }, async (signal) => {
    const running = services.live.of(session);
    const result = running ? await running.command(line, signal) : await services.commandPlugged(session, line, signal);
    return result?.text ? { ...result, text: makeInert(services.redact(result.text)) } : result;
  });
}

function textsOf({ line }: PluggedIntake, { config }: Place): CommandTexts {
  return COMMAND_TEXTS[languageOf(config.language, line)];
}
