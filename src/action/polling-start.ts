import type { Reading } from '../triggers/reading.ts';

/** From when on a run reads comments, and which of its jobs have read already. */
export interface PollingStart {
  readonly since: Date;
  readonly seen: Set<number>;
}

/**
 * What is written after the comment that started a run is for it to see: a runner takes its time to start, and the run that
 * a `/dsh stop` starts meanwhile waits for this one (H12). Where nothing tells when that was, from now on. Pure.
 */
export function pollingStart(readings: readonly Reading[], now: Date): PollingStart {
  const subjects = readings.filter((reading) => reading.kind !== 'ignore');
  const said = subjects.flatMap(({ saidAt }) => saidAt ?? []);
  const comments = subjects.flatMap((reading) => ('comment' in reading ? (reading.comment?.place ?? []) : []));
  return {
    since: new Date(Math.min(now.getTime(), ...said)),
    seen: new Set(comments.flatMap((place) => (place.kind === 'issue-comment' ? place.id : []))),
  };
}
