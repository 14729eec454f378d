import type { SessionEvent } from '../../harness/session/types.ts';
import type { ObservedLog } from './corpus.ts';
import { surfaceIndex } from './surface-index.ts';
import type { SurfaceIndex } from './surface-index.ts';
import type { SessionEventRecord, SessionEventTrace } from './types.ts';

/**
 * What took the place of an event and what it took the place of; apart from that, what it was made from and what was
 * made from it. Throws as `surfaceIndex` does, however sound the event itself is.
 */
export function traceEvent(log: ObservedLog, target: SessionEvent): SessionEventTrace {
  const index = surfaceIndex(log.events);
  const chain = replacementChain(index, target.seq);
  const own = index.replacements.find(({ seq }) => seq === target.seq);
  return {
    target: recordOf(log, target, index),
    ...(chain[0] !== undefined && { replacedBy: chain[0] }),
    replacementChain: chain,
    replacedEventSeqs: [...(own?.shadowedSeqs ?? [])],
    sourceEventSeqs: [...sourcesOf(target)],
    derivedEventSeqs: log.events.filter((event) => sourcesOf(event).includes(target.seq)).map(({ seq }) => seq),
  };
}

export function recordOf({ header }: ObservedLog, event: SessionEvent, index: SurfaceIndex): SessionEventRecord {
  const { seq, type, time } = event;
  return { sessionId: header.id, seq, type, time, surface: index.classify(seq) };
}

function replacementChain({ replacements }: SurfaceIndex, target: number): number[] {
  const chain: number[] = [];
  let at = target;
  for (const { seq, shadowedSeqs } of replacements) {
    if (!shadowedSeqs.includes(at)) continue;
    chain.push(seq);
    at = seq;
  }
  return chain;
}

function sourcesOf(event: SessionEvent): readonly number[] {
  return ('sourceEventSeqs' in event && event.sourceEventSeqs) || [];
}
