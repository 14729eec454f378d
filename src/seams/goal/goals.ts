import { randomUUID } from 'node:crypto';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { scopeTarget } from '../../harness/scope/scope.ts';
import { checkObjective, checkReason, checkRounds } from './check-goal.ts';
import { GoalError } from './goal-error.ts';
import { renderGoalChange, refOf, sourceOf } from './goal-change.ts';
import { ALLOWED } from './next-goal.ts';
import { SessionGoal } from './session-goal.ts';
import { GoalId } from './types.ts';
import type {
  CreateGoalRequest,
  EditGoalRequest,
  GoalActivation,
  GoalBlockReason,
  GoalChangeMeta,
  GoalChanged,
  GoalOperation,
  GoalRef,
  GoalSnapshot,
  GoalSnapshotChangeMeta,
  GoalView,
} from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    goals: Goals;
  }
  interface Events {
    /** Scoped by the agent. The change is in the log, or accepted for it. */
    'goal/changed'(agent: Agent, change: GoalChanged): void;
  }
}

export interface GoalsConfig {
  readonly defaultMaxGoalRounds?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** `ctx.goals`: the one current goal of a session. Every change names the revision it is made to. */
export class Goals {
  readonly #ctx: Context;
  readonly #defaultRounds: number;
  readonly #now: () => number;
  readonly #sessions = new WeakMap<Agent, SessionGoal>();
  readonly #armed = new WeakSet<Agent>();

  constructor(ctx: Context, { defaultMaxGoalRounds = 256, now = Date.now }: GoalsConfig = {}) {
    this.#ctx = ctx;
    this.#defaultRounds = checkRounds(defaultMaxGoalRounds);
    this.#now = now;
  }

  get(agent: Agent): GoalView | undefined {
    const { goal, roundsStarted, createdAt = 0, updatedAt = 0 } = this.#of(agent).state;
    return goal && { ...goal, roundsStarted, createdAt, updatedAt, activation: this.#activation(agent) };
  }

  /** Whether every change is in the log. */
  isLanded(agent: Agent): boolean {
    return this.#of(agent).isLanded;
  }

  create(agent: Agent, { objective, maxGoalRounds = this.#defaultRounds }: CreateGoalRequest): GoalView {
    const { goal, usedIds } = this.#of(agent).state;
    if (goal && goal.phase !== 'complete') throw new GoalError('there is an unfinished goal', 'GOAL_ALREADY_EXISTS');
    const checked = { objective: checkObjective(objective), maxGoalRounds: checkRounds(maxGoalRounds) };
    let id = GoalId(randomUUID());
    while (usedIds.has(id)) id = GoalId(randomUUID());
    const now = Math.max(this.#now(), this.#of(agent).state.updatedAt ?? 0);
    const created: GoalSnapshot = { id, revision: 1, ...checked, phase: 'active' };
    return this.#put(agent, 'create', created, { roundsStarted: 0, createdAt: now, updatedAt: now });
  }

  edit(agent: Agent, ref: GoalRef, { objective, maxGoalRounds }: EditGoalRequest): GoalView {
    const goal = this.#current(agent, ref, 'edit');
    if (objective === undefined && maxGoalRounds === undefined)
      throw new GoalError('an edit changes the objective or the rounds', 'GOAL_INVALID_EDIT');
    return this.#change(agent, 'edit', {
      ...goal,
      ...(objective !== undefined && { objective: checkObjective(objective) }),
      ...(maxGoalRounds !== undefined && { maxGoalRounds: checkRounds(maxGoalRounds) }),
    });
  }

  pause(agent: Agent, ref: GoalRef): GoalView {
    return this.#change(agent, 'pause', { ...this.#current(agent, ref, 'pause'), phase: 'paused' });
  }

  /** `grantedBy` names the words that allowed it earlier, where it is not resumed by a person now. */
  resume(agent: Agent, ref: GoalRef, grantedBy?: string): GoalView {
    const { blockedReason: _, ...goal } = this.#current(agent, ref, 'resume');
    if (goal.phase === 'active' && this.#armed.has(agent)) throw transition('resume', 'active and armed');
    if (this.#of(agent).state.roundsStarted >= goal.maxGoalRounds) throw transition('resume', 'out of rounds');
    return this.#change(agent, 'resume', { ...goal, phase: 'active' }, grantedBy);
  }

  complete(agent: Agent, ref: GoalRef): GoalView {
    const { blockedReason: _, ...goal } = this.#current(agent, ref, 'complete');
    return this.#change(agent, 'complete', { ...goal, phase: 'complete' });
  }

  block(agent: Agent, ref: GoalRef, reason: GoalBlockReason): GoalView {
    const goal = this.#current(agent, ref, 'block');
    return this.#change(agent, 'block', { ...goal, phase: 'blocked', blockedReason: checkReason(reason) });
  }

  /** Returns what stands in the goal's place. */
  clear(agent: Agent, ref: GoalRef): GoalRef {
    const { id, revision } = this.#current(agent, ref, 'clear');
    const cleared = { id, revision: revision + 1 };
    const clearedAt = Math.max(this.#now(), this.#of(agent).state.updatedAt ?? 0);
    this.#write(agent, { kind: 'goal/change', version: 1, operation: 'clear', cleared, clearedAt });
    return cleared;
  }

  /** No round starts by itself any more; the log is not changed. */
  disarm(agent: Agent): void {
    this.#armed.delete(agent);
  }

  #activation(agent: Agent): GoalActivation {
    return this.#armed.has(agent) ? 'armed' : 'disarmed';
  }

  #of(agent: Agent): SessionGoal {
    if (this.#ctx.agents.get(agent.id) !== agent) throw new GoalError('this agent is not live', 'GOAL_AGENT_NOT_LIVE');
    const known = this.#sessions.get(agent) ?? new SessionGoal(agent.session);
    this.#sessions.set(agent, known);
    return known;
  }

  #current(agent: Agent, { id, revision }: GoalRef, operation: keyof typeof ALLOWED): GoalSnapshot {
    const { goal } = this.#of(agent).state;
    if (!goal) throw new GoalError('there is no goal', 'GOAL_NOT_FOUND');
    if (goal.id !== id || goal.revision !== revision)
      throw new GoalError('the goal was changed meanwhile; look at it again', 'GOAL_STALE_REVISION');
    if (!ALLOWED[operation].includes(goal.phase)) throw transition(operation, goal.phase);
    return goal;
  }

  /** Time never goes backwards for one goal, whatever the clock does (G9). */
  #change(agent: Agent, operation: Exclude<GoalOperation, 'clear'>, goal: GoalSnapshot, grantedBy?: string): GoalView {
    const { roundsStarted, createdAt = 0, updatedAt = 0 } = this.#of(agent).state;
    const facts = {
      ...{ roundsStarted, createdAt, updatedAt: Math.max(this.#now(), updatedAt) },
      ...(grantedBy !== undefined && { grantedBy }),
    };
    return this.#put(agent, operation, { ...goal, revision: goal.revision + 1 }, facts);
  }

  #put(
    agent: Agent,
    operation: Exclude<GoalOperation, 'clear'>,
    goal: GoalSnapshot,
    facts: Pick<GoalSnapshotChangeMeta, 'roundsStarted' | 'createdAt' | 'updatedAt' | 'grantedBy'>,
  ): GoalView {
    this.#write(agent, { kind: 'goal/change', version: 1, operation, goal, ...facts });
    return this.get(agent)!;
  }

  #write(agent: Agent, change: GoalChangeMeta): void {
    const source = sourceOf(change);
    const meta = JSON.parse(JSON.stringify(change)) as never;
    const wasArmed = this.#armed.has(agent);
    this.#activate(agent, change.operation);
    try {
      this.#of(agent).add(change, () => agent.inject(renderGoalChange(change), { source, meta }));
    } catch (error) {
      if (wasArmed) this.#armed.add(agent);
      else this.#armed.delete(agent);
      throw error;
    }
    const { operation } = change;
    const goal = this.get(agent);
    this.#ctx.notify(scopeTarget({}, agent), 'goal/changed', agent, {
      operation,
      ref: refOf(change),
      ...(goal && { goal }),
    });
  }

  #activate(agent: Agent, operation: GoalOperation): void {
    if (operation === 'create' || operation === 'resume') this.#armed.add(agent);
    else if (operation !== 'edit') this.#armed.delete(agent);
  }
}

function transition(operation: string, phase: string): GoalError {
  return new GoalError(`a goal that is ${phase} cannot ${operation}`, 'GOAL_INVALID_TRANSITION');
}

/** Provides `ctx.goals`. A session that is begun or gone on with starts nothing by itself (G10). */
export const goals: Plugin<GoalsConfig | undefined> = {
  name: 'goals',
  inject: ['agents'],
  apply(ctx, config) {
    const service = new Goals(ctx, config);
    ctx.provide('goals', service);
    ctx.on('agent/session-start', (agent) => service.disarm(agent));
  },
};
