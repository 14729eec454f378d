import type { Intake } from '../../triggers/intake.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import type { BotServices, Place } from '../job/services.ts';

export type CommandIntake = Extract<Intake, { kind: 'command' }>;

export interface HumanCommand {
  readonly intake: CommandIntake;
  readonly place: Place;
  readonly services: BotServices;
}

/** Answers a person without the model: by then it is decided that he may. */
export type HumanCommandHandler = (command: HumanCommand) => CommandResult | Promise<CommandResult>;

export function success(text: string): CommandResult {
  return { kind: 'success', text };
}

export function failure(text: string): CommandResult {
  return { kind: 'error', text };
}
