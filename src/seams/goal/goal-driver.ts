import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { AgentRounds } from './agent-rounds.ts';
import type { RoundLimit, RoundTrigger } from './agent-rounds.ts';
import './goals.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    goalDriver: GoalDriver;
  }
}

export interface GoalDriverConfig {
  /** Asked before each round: a reason not to begin it, such as a budget that is spent. */
  readonly limit?: RoundLimit;
  /** What opens the turn of a round; by default its message. */
  readonly trigger?: RoundTrigger;
}

/** `ctx.goalDriver`: keeps beginning rounds while an agent is idle and its goal active and armed. */
export class GoalDriver {
  readonly #ctx: Context;
  readonly #config: GoalDriverConfig;
  readonly #agents = new Map<Agent, AgentRounds>();

  constructor(ctx: Context, config: GoalDriverConfig) {
    this.#ctx = ctx;
    this.#config = config;
  }

  of(agent: Agent): AgentRounds {
    const known = this.#agents.get(agent) ?? new AgentRounds(agent, this.#ctx, this.#config);
    this.#agents.set(agent, known);
    return known;
  }

  forget(agent: Agent): void {
    this.#agents.get(agent)?.stop();
    this.#agents.delete(agent);
  }

  /** Resolves when no round runs and none will begin by itself. */
  async whenQuiet(agent: Agent): Promise<void> {
    await this.#agents.get(agent)?.whenQuiet();
  }

  /** No round begins any more, and one that runs is cancelled; resolves when all is quiet (G21). */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((rounds) => rounds.close()));
    this.#agents.clear();
  }
}

/** Provides `ctx.goalDriver`. Agents that live already are disarmed: nobody asked for rounds of this driver. */
export const goalDriver: Plugin<GoalDriverConfig | undefined> = {
  name: 'goal-driver',
  inject: ['agents', 'goals', 'sessions'],
  apply(ctx, config = {}) {
    const driver = new GoalDriver(ctx, config);
    for (const agent of ctx.agents.list()) ctx.goals.disarm(agent);
    ctx.provide('goalDriver', driver);
    // One effect: the listeners are the fence, and stand until the driver is quiet.
    ctx.effect(function* () {
      yield* listeners(ctx, driver);
      yield () => driver.close();
    }, 'goal driver');
  },
};

function listeners(ctx: Context, driver: GoalDriver) {
  return [
    ctx.on('agent/created', (agent) => driver.of(agent).consider()),
    ctx.on('agent/disposed', (agent) => driver.forget(agent)),
    ctx.on('agent/status', (agent, status) => driver.of(agent).onStatus(status)),
    ctx.on('agent/queued', (agent, _content, { source }) => driver.of(agent).onQueued(source)),
    ctx.on('agent/cancel-requested', (agent) => driver.of(agent).onCancel()),
    ctx.on('agent/error', (agent, turn) => driver.of(agent).onError(turn)),
    ctx.on('goal/changed', (agent) => driver.of(agent).consider()),
    ctx.on('session/event', (session, event) => {
      const agent = ctx.agents.get(session.id);
      if (event.type === 'turn/end' && agent?.session === session)
        driver.of(agent).onTurnEnd(event.data.turn, event.data.reason);
    }),
    ctx.on('agent/prompt-submit', (agent, content, source, _signal, next) =>
      source.kind === 'goal' ? driver.of(agent).admit(content, source, next) : next(),
    ),
  ];
}
