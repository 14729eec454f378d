import { jsonEquals } from './json.ts';
import { SessionLogError } from './session-errors.ts';
import { isSurfaceEligibleType, isSurfaceEvent } from './surface-event.ts';
import type { SessionEvent, SurfaceEvent, SurfaceOp } from './types.ts';

/** What one event will do to the surface: `from` and `to` are positions, both inclusive. */
export type SurfacePlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'append'; readonly seq: number }
  | { readonly kind: 'replace'; readonly seq: number; readonly from: number; readonly to: number };

type Replace = Exclude<SurfaceOp, 'append'>;

/**
 * The one surface transition: append, seed, offline fold and query all go through it.
 * `plan` decides and changes nothing; `commit` carries the plan out.
 */
export class SurfaceFold {
  /** The seqs on the surface, in model order. */
  readonly nodes: number[] = [];
  /** Grows with each replacement. */
  generation = 0;
  readonly #eventAt: (seq: number) => SessionEvent | undefined;

  constructor(eventAt: (seq: number) => SessionEvent | undefined) {
    this.#eventAt = eventAt;
  }

  /** Throws `SessionLogError` `INVALID_SURFACE` if the event's surface metadata does not fit the surface as it is. */
  plan(event: SessionEvent): SurfacePlan {
    if (!isSurfaceEligibleType(event.type)) return planLogOnly(event);
    if (!isSurfaceEvent(event)) throw invalid(event, 'a surface event needs surfaceOp');
    checkSources(event);
    if (event.surfaceOp === 'append') return { kind: 'append', seq: event.seq };
    checkReplaceShape(event, event.surfaceOp);
    return this.#planReplace(event, event.surfaceOp);
  }

  /** Returns the seqs that left the surface. */
  commit(plan: SurfacePlan): number[] {
    if (plan.kind === 'none') return [];
    if (plan.kind === 'append') {
      this.nodes.push(plan.seq);
      return [];
    }
    this.generation += 1;
    return this.nodes.splice(plan.from, plan.to - plan.from + 1, plan.seq);
  }

  #planReplace(event: SurfaceEvent, op: Replace): SurfacePlan {
    const from = this.nodes.lastIndexOf(op.start);
    const to = this.nodes.lastIndexOf(op.end);
    if (from < 0 || to < 0)
      throw invalid(event, `replaces ${op.start} to ${op.end}, which are not both on the surface`);
    if (from > to) throw invalid(event, `replaces ${op.start} to ${op.end}, which stand in the other order`);
    const sources = new Set(event.sourceEventSeqs);
    const missing = this.nodes.slice(from, to + 1).find((seq) => !sources.has(seq));
    if (missing !== undefined) throw invalid(event, `replaces ${missing} without naming it as a source`);
    if (event.type === 'tool/result') this.#checkResultRewrite(event, op);
    return { kind: 'replace', seq: event.seq, from, to };
  }

  #checkResultRewrite(event: SurfaceEvent, op: Replace): void {
    const original = this.#eventAt(op.start);
    if (op.start !== op.end || original?.type !== 'tool/result') {
      throw invalid(event, 'a tool/result may replace exactly one tool/result');
    }
    const { content: _before, ...before } = original.data;
    const { content: _after, ...after } = (event as SessionEvent<'tool/result'>).data;
    if (!jsonEquals(before, after)) throw invalid(event, 'a rewritten tool/result may differ only in its content');
  }
}

function planLogOnly(event: SessionEvent): SurfacePlan {
  if ('surfaceOp' in event || 'sourceEventSeqs' in event)
    throw invalid(event, 'a log-only event has no place on the surface');
  return { kind: 'none' };
}

function checkSources(event: SurfaceEvent): void {
  if (!('sourceEventSeqs' in event)) return;
  const seqs: unknown = event.sourceEventSeqs;
  if (!Array.isArray(seqs)) throw invalid(event, 'sourceEventSeqs must be an array');
  if (seqs.length === 0 && event.type !== 'assistant/message')
    throw invalid(event, 'sourceEventSeqs must not be empty');
  if (new Set(seqs).size !== seqs.length) throw invalid(event, 'sourceEventSeqs must be unique');
  // `find` sees holes, which `every` passes over.
  if (seqs.findIndex((seq) => !Number.isSafeInteger(seq) || seq < 0 || seq >= event.seq) >= 0) {
    throw invalid(event, 'sourceEventSeqs must name earlier events');
  }
}

function checkReplaceShape(event: SurfaceEvent, op: Replace): void {
  const isReplace = typeof op === 'object' && op !== null && op.op === 'replace' && Object.keys(op).length === 3;
  if (!isReplace || !Number.isSafeInteger(op.start) || !Number.isSafeInteger(op.end)) {
    throw invalid(event, "surfaceOp must be 'append' or exactly { op: 'replace', start, end }");
  }
}

function invalid(event: SessionEvent, why: string): SessionLogError {
  return new SessionLogError(`event ${event.seq} (${event.type}): ${why}`, 'INVALID_SURFACE');
}
