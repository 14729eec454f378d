import type { Agent, AgentStatus, PromptDecision } from '../../harness/agent/types.ts';
import { isParked } from '../../harness/agent/session-log.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import type { TurnEndReason, TurnTrigger } from '../../harness/session/types.ts';
import { classifyGoalRound } from './classify-goal-round.ts';
import { roundPrompt } from './round-prompt.ts';
import type { GoalBlockReason, GoalMessageSource, GoalRoundOutcome, GoalView } from './types.ts';

export type RoundTrigger = (round: number) => TurnTrigger;
export type RoundLimit = (agent: Agent, goal: GoalView) => GoalBlockReason | undefined;

interface RoundPolicy {
  readonly limit?: RoundLimit;
  readonly trigger?: RoundTrigger;
}
interface Round {
  readonly source: GoalMessageSource;
  readonly content: ContentBlock[];
  /** The turn it was admitted to. */
  turn?: number;
  ended?: TurnEndReason;
  /** Errors told after its end. */
  errors: number;
}

const STALE = 'stale goal-round reservation';

/** The rounds of one agent: one at a time, each reserved, admitted by that very reservation, and settled when its turn is closed. */
export class AgentRounds {
  readonly #agent: Agent;
  readonly #ctx: Context;
  readonly #policy: RoundPolicy;
  /** Sent, and not yet submitted. */
  #reserved: Round | undefined;
  #admitted: Round | undefined;
  /** Others wrote something that has not had its turn. */
  #isCompeted = false;
  #isStopped = false;
  #work: Promise<void> = Promise.resolve();
  #isPlanned = false;

  constructor(agent: Agent, ctx: Context, policy: RoundPolicy) {
    this.#agent = agent;
    this.#ctx = ctx;
    this.#policy = policy;
  }

  /** Looks, after whatever is looked at now, whether a round is to begin. On nobody's behalf (G12). */
  consider(): void {
    if (this.#isStopped || this.#isPlanned) return;
    this.#isPlanned = true;
    this.#work = this.#ctx.agents.withoutInitiator(async () => {
      await this.#work;
      this.#isPlanned = false;
      await this.#look().catch((error: unknown) => this.#fail(error));
    });
  }

  async whenQuiet(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#work || this.#reserved || this.#admitted;) {
      seen = this.#work;
      await seen;
      await this.#agent.whenIdle();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async close(): Promise<void> {
    this.stop();
    this.#disarm();
    if (this.#admitted) this.#agent.cancel({ kind: 'parent' });
    this.#reserved = undefined;
    await this.#work;
    await this.#agent.whenIdle();
  }

  onStatus(status: AgentStatus): void {
    if (status !== 'idle') return;
    this.#isCompeted = false;
    // A prompt that was taken back opens no turn.
    this.#reserved = undefined;
    this.consider();
  }

  /** A person's word goes before a round that has not begun (G16). */
  onQueued(source: MessageSource): void {
    if (source.kind === 'goal') return;
    this.#isCompeted = true;
    this.#reserved = undefined;
  }

  /** A cancelled round is paused; the end of other work only keeps new rounds from beginning (G19). */
  onCancel(): void {
    if (this.#admitted) return;
    const goal = this.#current(this.#reserved);
    this.#reserved = undefined;
    if (goal) this.#attempt(() => this.#ctx.goals.pause(this.#agent, goal));
    else this.#disarm();
  }

  onTurnEnd(turn: number, reason: TurnEndReason): void {
    if (this.#admitted?.turn === turn) this.#admitted.ended = reason;
  }

  /** After the end of its turn the error it ended with is told, and whether it could be stored (G20). */
  onError(turn: number): void {
    if (this.#admitted?.turn === turn && this.#admitted.ended) this.#admitted.errors += 1;
  }

  /** A round's prompt is let in by the reservation it was made with, before and after what others have to say (G15). */
  async admit(
    content: readonly ContentBlock[],
    source: GoalMessageSource,
    next: () => Promise<PromptDecision>,
  ): Promise<PromptDecision> {
    const round = this.#reserved;
    const isOurs = () =>
      round !== undefined &&
      this.#reserved === round &&
      !this.#isStopped &&
      isSame(round, content, source) &&
      this.#current(round)?.roundsStarted === source.round - 1;
    if (!isOurs()) return this.#refuse(round);
    let decision: PromptDecision;
    try {
      decision = await next();
    } catch (error) {
      this.#reserved = undefined;
      throw error;
    }
    if (!isOurs()) return this.#refuse(round);
    this.#reserved = undefined;
    this.#admitted = { ...round!, turn: this.#agent.session.lastTurn };
    return decision;
  }

  #refuse(round: Round | undefined): PromptDecision {
    if (this.#reserved === round) this.#reserved = undefined;
    return { kind: 'block', reason: STALE };
  }

  async #look(): Promise<void> {
    this.#settle();
    if (!this.#startable()) return;
    if (!(await this.#flushed())) return this.#disarm();
    const goal = this.#startable();
    if (goal && this.#ctx.goals.isLanded(this.#agent)) this.#begin(goal);
  }

  #startable(): GoalView | undefined {
    const agent = this.#agent;
    if (this.#isStopped || this.#isCompeted || this.#reserved || this.#admitted) return undefined;
    if (agent.status !== 'idle' || this.#ctx.agents.get(agent.id) !== agent) return undefined;
    // A round would take back what a person is asked.
    if (isParked(agent.session)) return undefined;
    const goal = this.#ctx.goals.get(agent);
    return goal?.phase === 'active' && goal.activation === 'armed' ? goal : undefined;
  }

  async #flushed(): Promise<boolean> {
    try {
      await this.#ctx.sessions.flush(this.#agent.session);
      return true;
    } catch {
      return false;
    }
  }

  #begin(goal: GoalView): void {
    const agent = this.#agent;
    const spent =
      goal.roundsStarted >= goal.maxGoalRounds
        ? { code: 'round-limit', message: `all ${goal.maxGoalRounds} rounds are used` }
        : this.#policy.limit?.(agent, goal);
    if (spent) return void this.#ctx.goals.block(agent, goal, spent);
    const round = goal.roundsStarted + 1;
    const source = { kind: 'goal' as const, goalId: goal.id, revision: goal.revision, round };
    this.#reserved = { source, content: roundPrompt(goal, round), errors: 0 };
    try {
      const trigger = this.#policy.trigger?.(round);
      agent.send(this.#reserved.content, { source, ...(trigger && { trigger }) });
    } catch (error) {
      this.#reserved = undefined;
      const message = `the round could not be queued: ${String((error as Error).message)}`;
      this.#attempt(() => this.#ctx.goals.block(agent, goal, { code: 'queue-failed', message }));
    }
  }

  /** Only where nobody changed the goal meanwhile (G17). */
  #settle(): void {
    const round = this.#admitted;
    if (!round?.ended || this.#agent.status === 'running') return;
    this.#admitted = undefined;
    const goal = this.#current(round);
    const isStale = round.ended.kind === 'rejected' && round.ended.reason === STALE;
    if (goal && !isStale) this.#apply(classifyGoalRound(round.ended, isStored(round)), goal);
  }

  #apply(outcome: GoalRoundOutcome, goal: GoalView): void {
    const { goals } = this.#ctx;
    if (outcome.kind === 'pause') this.#attempt(() => goals.pause(this.#agent, goal));
    else if (outcome.kind === 'blocked') this.#attempt(() => goals.block(this.#agent, goal, outcome));
    else if (outcome.kind === 'disarm') this.#disarm();
  }

  /** The goal, where it is still the one the round was reserved for, active and armed. */
  #current(round: Round | undefined): GoalView | undefined {
    if (!round || this.#ctx.agents.get(this.#agent.id) !== this.#agent) return undefined;
    const goal = this.#ctx.goals.get(this.#agent);
    const isIt = goal?.id === round.source.goalId && goal.revision === round.source.revision;
    return isIt && goal.phase === 'active' && goal.activation === 'armed' ? goal : undefined;
  }

  #attempt(mutate: () => unknown): void {
    try {
      mutate();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#disarm();
    this.#ctx.notify('kernel/error', error, 'goal driver');
  }

  #disarm(): void {
    this.#ctx.goals.disarm(this.#agent);
  }
}

function isStored({ ended, errors }: Round): boolean {
  return errors === (ended?.kind === 'error' ? 1 : 0);
}

function isSame({ source, content }: Round, submitted: readonly ContentBlock[], by: GoalMessageSource): boolean {
  return (
    by.goalId === source.goalId &&
    by.revision === source.revision &&
    by.round === source.round &&
    JSON.stringify(submitted) === JSON.stringify(content)
  );
}
