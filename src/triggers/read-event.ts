import { readTrigger } from './read-trigger.ts';
import type { TriggerConfig } from './trigger-config.ts';
import type { GitHubEvent, IgnoreReason, Reading } from './reading.ts';

/** A further way in which an event becomes a turn. It is asked about events that our own reader has no use for. */
export interface EventReader {
  /**
   * Undefined for an event it does not know. Pure: it may be asked twice about one event. The payload comes from
   * outside, so whatever is used of it must be checked.
   */
  read(event: GitHubEvent, config: TriggerConfig): Reading | undefined;
}

/** What an event says to us, or else to the first of the added readers that knows it. What we did ourselves starts nothing. */
export function readEvent(event: GitHubEvent, config: TriggerConfig, readers: readonly EventReader[] = []): Reading[] {
  const ours = readTrigger(event, config);
  if (!ours.every(isOfNoUse)) return ours;
  for (const reader of readers) {
    const reading = reader.read(event, config);
    if (reading && isByOurselves(reading, config)) return [{ kind: 'ignore', why: 'own-author' }];
    if (reading) return [reading, ...ours.filter(({ kind }) => kind !== 'ignore')];
  }
  return ours;
}

const OF_NO_USE: ReadonlySet<IgnoreReason> = new Set(['event-not-used', 'nothing-addressed']);

/** What only a session that runs or waits has a use for leaves room for others, too. */
function isOfNoUse(reading: Reading): boolean {
  return reading.kind === 'ignore' ? OF_NO_USE.has(reading.why) : ['remark', 'note', 'end'].includes(reading.kind);
}

function isByOurselves(reading: Reading, { self }: TriggerConfig): boolean {
  if (reading.kind === 'ignore' || !self.botLogin) return false;
  return reading.actor.login.toLowerCase() === self.botLogin.toLowerCase();
}
