import type { Handled } from '../handle-event.ts';
import type { IgnoreReason, Reading } from '../triggers/reading.ts';

/** Not even the repository's own configuration could make this ours; for it GitHub is not asked at all. Pure. */
export function isFinal(reading: Reading): boolean {
  return reading.kind === 'ignore' && FINAL.has(reading.why);
}

const FINAL: ReadonlySet<IgnoreReason> = new Set([
  'event-not-used',
  'malformed-payload',
  'nothing-addressed',
  'own-author',
  'marker',
]);

/** What became of a reading that nobody is there for. Pure. */
export function ignored(reading: Reading): Handled {
  return { status: 'ignored', why: reading.kind === 'ignore' ? reading.why : 'event-not-used' };
}
