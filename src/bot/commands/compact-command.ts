import { withSettings } from '../session/session-settings.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';
import '../session/session-events.ts';

/** Condenses what the model remembers of a session that rests, in a turn of its own without a request of anybody. */
export const compactCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const texts = textsFor(command);
  const { session, reading } = intake;
  const { live, sessions, records, compact } = services;
  if (live.of(session)) return failure(texts.turnRuns);
  if (!(await sessions.has(session))) return failure(texts.noSession);
  const config = withSettings(place.config, await records.settings.get(session), Infinity);
  const { id, login } = reading.actor;
  const trigger = { kind: 'maintenance', command: 'compact', actor: { id, login }, cause: reading.cause } as const;
  const result = await compact({ session, trigger, config, signal: place.signal });
  if (!result) return success(texts.nothingToShorten);
  const tokens = result.shadowedTokenCount.toLocaleString('en-US');
  return success(texts.shortened(tokens));
};
