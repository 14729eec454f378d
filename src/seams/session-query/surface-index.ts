import { foldSurface } from '../../harness/session/fold-surface.ts';
import type { SessionEvent, SurfaceFoldReplacement } from '../../harness/session/types.ts';
import { SessionQueryError } from './session-query-error.ts';
import type { SessionEventSurface } from './types.ts';

/** Where every event of a log stands, by the same fold as appends and seeds. */
export interface SurfaceIndex {
  /** Seqs on the surface now, in model order. */
  readonly nodes: readonly number[];
  readonly replacements: readonly SurfaceFoldReplacement[];
  classify(seq: number): SessionEventSurface;
}

/** Throws `SessionQueryError` `SESSION_QUERY_INVALID_SURFACE` unless the whole log keeps the rules. */
export function surfaceIndex(events: readonly SessionEvent[]): SurfaceIndex {
  const { nodes, replacements } = folded(events);
  const current = new Set(nodes);
  const shadowed = new Set(replacements.flatMap(({ shadowedSeqs }) => shadowedSeqs));
  return {
    nodes,
    replacements,
    classify: (seq) => (current.has(seq) ? 'current' : shadowed.has(seq) ? 'shadowed' : 'log-only'),
  };
}

function folded(events: readonly SessionEvent[]) {
  const misplaced = events.findIndex(({ seq }, index) => seq !== index);
  if (misplaced >= 0) throw invalid(new Error(`event ${misplaced} is numbered ${events[misplaced]!.seq}`));
  try {
    return foldSurface(events);
  } catch (cause) {
    throw invalid(cause);
  }
}

function invalid(cause: unknown): SessionQueryError {
  const message = `the log breaks a rule of the surface: ${(cause as Error).message}`;
  return new SessionQueryError(message, 'SESSION_QUERY_INVALID_SURFACE', { cause });
}
