import { heldContexts } from '../../harness/agent/session-log.ts';
import type { Session } from '../../harness/session/session.ts';
import { decodeGoalChange } from './goal-change.ts';
import { afterEvent, changeOf } from './fold-goal.ts';
import { NO_GOAL, nextGoal } from './next-goal.ts';
import type { GoalState } from './next-goal.ts';
import type { GoalChangeMeta } from './types.ts';

/**
 * The goal of one live session: the fold of its log, each event read once, and over it the changes that were accepted but
 * wait for their place in the log, so that two calls of one batch see each other (G8).
 */
export class SessionGoal {
  readonly #session: Session;
  #seq = 0;
  #folded: GoalState = NO_GOAL;
  #pending: GoalChangeMeta[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  get state(): GoalState {
    const isFirst = this.#seq === 0;
    for (; this.#seq < this.#session.seq; this.#seq += 1) {
      const event = this.#session.eventAt(this.#seq)!;
      this.#folded = afterEvent(this.#folded, event);
      if (changeOf(event)) this.#pending.shift();
    }
    if (isFirst) this.#pending.push(...heldChanges(this.#session));
    return this.#pending.reduce(nextGoal, this.#folded);
  }

  /** Whether all of it is in the log. */
  get isLanded(): boolean {
    return this.state !== undefined && this.#pending.length === 0;
  }

  /** `put` brings the change into the log, now or later; where it throws, nothing was changed. */
  add(change: GoalChangeMeta, put: () => void): void {
    nextGoal(this.state, change);
    this.#pending.push(change);
    try {
      put();
    } catch (error) {
      this.#pending = this.#pending.filter((other) => other !== change);
      throw error;
    }
  }
}

/** What was changed while a person is waited for, by whichever process: it lands behind the answer. */
function heldChanges(session: Session): GoalChangeMeta[] {
  return heldContexts(session).flatMap(({ source, meta }) =>
    source.kind === 'goal' ? (decodeGoalChange(meta) ?? []) : [],
  );
}
