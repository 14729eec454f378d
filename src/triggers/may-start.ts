import type { CommandReading, DecideConfig, Facts, Intake, TurnReading } from './intake.ts';
import type { IgnoreReason, Reading } from './reading.ts';
import { mayCommand } from './rights.ts';

export type Misunderstood = Extract<Reading, { kind: 'misunderstood' }>;

/** Who commands more within some minutes is told once, and not answered until they are over (X12). */
export const MAX_COMMANDS = 60;

/** Why somebody's command is not done; undefined where it is. */
export function whyNot(
  reading: CommandReading | Misunderstood,
  command: Parameters<typeof mayCommand>[0],
  facts: Facts,
  config: DecideConfig,
): Intake | undefined {
  const { isBot } = reading.actor;
  if (facts.causeTaken) return ignore('cause-taken');
  if (facts.commands > MAX_COMMANDS)
    return facts.limitTold || isBot
      ? ignore('too-many-commands')
      : { kind: 'refuse', why: 'too-many-commands', reading };
  if (facts.permission === 'could-not-check' && !isBot) return { kind: 'refuse', why: 'could-not-check', reading };
  if (mayCommand(command, claimOf(reading, facts), config)) return undefined;
  return isBot ? ignore('bot-author') : { kind: 'refuse', why: 'no-permission', reading };
}

/** Of a right, as `mayCommand` weighs it. */
export function claimOf(reading: Exclude<Reading, { kind: 'ignore' }>, { permission, running }: Facts) {
  return { permission, actor: reading.actor, startedBy: running?.startedBy };
}

/** A machine started as many turns in a row as it may. */
export function isOverdone({ actor }: TurnReading, { machineTurns }: Facts, { maxBotTurns }: DecideConfig): boolean {
  return actor.isBot === true && machineTurns >= maxBotTurns;
}

export function ignore(why: IgnoreReason): Intake {
  return { kind: 'ignore', why };
}
