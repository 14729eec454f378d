import type { Agent } from '../../harness/agent/types.ts';
import { SubagentError } from './subagent-error.ts';

/** For one parent: children alive at once, and children in one turn. */
export interface SubagentLimits {
  readonly live?: number;
  readonly perTurn?: number;
}

interface Count {
  live: number;
  turn: number;
  inTurn: number;
}

/** Counts children by parent, those being started among them. */
export class SubagentCounter {
  readonly #limits: SubagentLimits;
  readonly #counts = new WeakMap<Agent, Count>();

  constructor(limits: SubagentLimits) {
    this.#limits = limits;
  }

  /**
   * Counts one more and returns what counts it out of the living, once.
   * @throws SubagentError `TOO_MANY_SUBAGENTS`
   */
  enter(parent: Agent): () => void {
    const count = this.#countOf(parent);
    const { live = Infinity, perTurn = Infinity } = this.#limits;
    if (count.live >= live) throw tooMany(`${live} subagents are at work already — wait for one of them`);
    if (count.inTurn >= perTurn) throw tooMany(`this turn has had its ${perTurn} subagents — go on without`);
    count.live += 1;
    count.inTurn += 1;
    let isLive = true;
    return () => {
      if (isLive) count.live -= 1;
      isLive = false;
    };
  }

  #countOf(parent: Agent): Count {
    const turn = parent.session.lastTurn;
    const count = this.#counts.get(parent) ?? { live: 0, turn, inTurn: 0 };
    if (count.turn !== turn) Object.assign(count, { turn, inTurn: 0 });
    this.#counts.set(parent, count);
    return count;
  }
}

function tooMany(message: string): SubagentError {
  return new SubagentError(message, 'TOO_MANY_SUBAGENTS');
}
