import { SurfaceFold } from '../../harness/session/surface-fold.ts';
import type { SurfacePlan } from '../../harness/session/surface-fold.ts';
import { deriveEventMessage } from '../../harness/session/derive-message.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { estimateMessage } from './estimate.ts';
import type { TokenSurfaceNode } from './types.ts';

/** What one event will do to the priced surface. */
export interface PricePlan {
  readonly plan: SurfacePlan;
  readonly tokens: number;
}

/** The surface of a log with a price on each node. `plan` decides and changes nothing; `commit` carries out. */
export class SurfacePrices {
  /** Sum of all prices. */
  tokens = 0;
  readonly #surface: SurfaceFold;
  readonly #nodes: TokenSurfaceNode[] = [];

  constructor(eventAt: (seq: number) => SessionEvent | undefined) {
    this.#surface = new SurfaceFold(eventAt);
  }

  /** A frozen copy, in model order. */
  get nodes(): readonly TokenSurfaceNode[] {
    return Object.freeze(this.#nodes.slice());
  }

  /** Throws as `SurfaceFold.plan` does. */
  plan(event: SessionEvent): PricePlan {
    const plan = this.#surface.plan(event);
    return { plan, tokens: plan.kind === 'none' ? 0 : priceOf(event) };
  }

  commit({ plan, tokens }: PricePlan): void {
    this.#surface.commit(plan);
    if (plan.kind === 'none') return;
    const node = Object.freeze({ seq: plan.seq, tokens });
    const [from, count] = plan.kind === 'append' ? [this.#nodes.length, 0] : [plan.from, plan.to - plan.from + 1];
    const removed = this.#nodes.splice(from, count, node);
    this.tokens += tokens - removed.reduce((sum, { tokens: price }) => sum + price, 0);
  }
}

/** A node that is no message, such as an empty reply, stays on the surface and costs nothing. */
function priceOf(event: SessionEvent): number {
  const message = deriveEventMessage(event);
  return message ? estimateMessage(message) : 0;
}
