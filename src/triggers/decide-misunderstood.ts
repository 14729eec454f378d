import { nearestName } from '../config/nearest-name.ts';
import { COMMANDS } from './command-table.ts';
import { claimOf, ignore, MAX_COMMANDS, whyNot } from './may-start.ts';
import type { Misunderstood } from './may-start.ts';
import type { DecideConfig, Facts, Intake } from './intake.ts';
import { isPlugged, writtenName } from './plugged-command.ts';
import { replyTextsFor } from './reply-texts.ts';
import { mayCommand } from './rights.ts';

/** A plugin's command is refused as our own are; what nobody understands is told whoever may ask for help. */
export function decideMisunderstood(reading: Misunderstood, facts: Facts, config: DecideConfig): Intake {
  const { line } = reading;
  const { session, plugged } = facts;
  if (line !== undefined && isPlugged(reading, plugged))
    return whyNot(reading, PLUGGED, facts, config) ?? { kind: 'plugged', line, session, reading };
  const mayBeTold = mayCommand({ name: 'help', text: '' }, claimOf(reading, facts), config);
  const isTold = !facts.causeTaken && facts.commands <= MAX_COMMANDS && mayBeTold;
  return isTold ? replyTo(reading, facts, config) : ignore('no-command');
}

/** What a plugin's command may do is not known, so it takes the right to run. */
const PLUGGED = { name: 'model', text: '' } as const;

/** One that a plugin brought to the running agent alone is known to nobody else, so that it is tried. */
function replyTo(reading: Misunderstood, facts: Facts, config: DecideConfig): Intake {
  const { reply, line } = reading;
  const mayTry = line !== undefined && facts.running && mayCommand(PLUGGED, claimOf(reading, facts), config);
  const text = nearPlugged(reading, facts, config) ?? reply;
  return { kind: 'reply', text, reading, ...(mayTry && { line }) };
}

function nearPlugged(reading: Misunderstood, { plugged }: Facts, { language }: DecideConfig): string | undefined {
  const written = writtenName(reading);
  const near = written && nearestName(written, [...Object.keys(COMMANDS), ...plugged]);
  if (!near || !plugged.includes(near)) return undefined;
  return replyTextsFor(language, reading.line ?? '').unknownCommand(written.replaceAll('`', '').slice(0, 40), near);
}
