import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { AgentHandle, AgentStatus } from '../../../src/harness/agent/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { rebuildRequests } from '../../../src/harness/session/rebuild-request.ts';
import { requestDigest } from '../../../src/harness/session/request-digest.ts';
import { fails, finishesWithError, isCut, callBlock, callsAll, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { bench, eventsOf, settle, text, tool } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';
import { checkLog, checkMessages } from './check-log.ts';

const TOOLS = ['safe', 'slow', 'alone', 'throws', 'asks', 'injects', 'steers', 'sends', 'cancels'] as const;
const HOOKS = [
  'agent/prompt-submit',
  'agent/session-prefix',
  'agent/pre-step',
  'agent/request',
  'agent/step-result',
  'agent/post-step',
  'agent/request-error',
  'agent/turn-continuation',
  'agent/turn-stop',
  'tools/pre-execute',
  'tools/post-execute',
  'session/flush',
] as const;
const DEEDS = ['send', 'steer', 'inject', 'cancel', 'park'] as const;

const Deed = fc.constantFrom('send', 'send', 'send', 'steer', 'steer', 'inject', 'inject', 'park', 'park', 'cancel');
const Action = fc.oneof(
  { weight: 6, arbitrary: Deed.map((deed) => ({ kind: 'do' as const, deed: deed as (typeof DEEDS)[number] })) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }).map((ticks) => ({ kind: 'wait' as const, ticks })) },
  { weight: 2, arbitrary: fc.constantFrom('run', 'refuse', 'result').map((how) => ({ kind: 'answer' as const, how })) },
);
const Reply = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'says' as const }) },
  {
    weight: 5,
    arbitrary: fc
      .array(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 4 })
      .map((names) => ({ kind: 'calls' as const, names })),
  },
  { weight: 1, arbitrary: fc.constantFrom('fails', 'ends in error', 'is cut').map((kind) => ({ kind })) },
);
const Hook = fc.record({
  at: fc.constantFrom(...HOOKS),
  nth: fc.integer({ min: 1, max: 4 }),
  does: fc.constantFrom(...DEEDS, 'throw', 'stop'),
});
export const Plan = fc.record({
  replies: fc.array(Reply, { minLength: 3, maxLength: 20, size: 'max' }),
  lags: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 10 }),
  hooks: fc.array(Hook, { maxLength: 4 }),
  actions: fc.array(Action, { minLength: 6, maxLength: 40, size: 'max' }),
  cap: fc.integer({ min: 1, max: 3 }),
  retries: fc.boolean(),
  disposesEarly: fc.integer({ min: 0, max: 3 }).map((n) => n === 3),
});
export type Plan = typeof Plan extends fc.Arbitrary<infer P> ? P : never;

/** One agent, driven by a plan, and everything that was done to it. */
export class Run {
  readonly #plan: Plan;
  readonly #bench: Bench;
  readonly #handle: AgentHandle;
  #lag = 0;
  #made = 0;
  readonly statuses: AgentStatus[] = [];
  readonly errors: unknown[] = [];
  readonly accepted = { send: [] as string[], steer: [] as string[], inject: [] as string[] };
  cancelled = false;
  stopped = false;
  handedBack = new Set<string>();
  running = new Set<{ alone: boolean }>();
  overlapped = 0;
  clashed = false;

  static async start(plan: Plan): Promise<Run> {
    const b = await bench([], { maxParallelToolCalls: plan.cap });
    const run = new Run(plan, b, await b.create());
    run.#install();
    return run;
  }

  private constructor(plan: Plan, b: Bench, handle: AgentHandle) {
    this.#plan = plan;
    this.#bench = b;
    this.#handle = handle;
  }

  get agent() {
    return this.#handle.agent;
  }

  async finish(): Promise<void> {
    for (const action of this.#plan.actions) await this.#act(action);
    if (this.#plan.disposesEarly) return void (await this.#handle.dispose());
    for (;;) {
      await this.agent.whenIdle();
      if (!this.#answer('run')) return;
    }
  }

  async #act(action: Plan['actions'][number]): Promise<void> {
    if (action.kind === 'do') this.do(action.deed);
    else if (action.kind === 'answer') this.#answer(action.how);
    else for (let tick = 0; tick < action.ticks; tick++) await settle();
  }

  do(deed: (typeof DEEDS)[number]): void {
    if (this.agent.status === 'disposed') return;
    const id = `${deed} ${(this.#made += 1)}`;
    if (deed === 'cancel') {
      this.cancelled = true;
      return this.agent.cancel();
    }
    if (deed === 'park') return this.#park();
    this.accepted[deed].push(id);
    this.agent[deed](text(id), { source: { kind: 'plugin', plugin: 'test' } });
  }

  #park(): void {
    const waiting = this.agent.session.pendingCalls.concat(this.agent.session.parkedCalls);
    for (const { id } of waiting) {
      void this.#handle
        .park({ waitingFor: { kind: 'question', id: 'q' }, callId: CallId(id) })
        .then(({ unstarted }) => {
          for (const { content } of unstarted) this.handedBack.add(idOf(content));
        });
    }
  }

  #answer(how: string): boolean {
    try {
      this.#handle.resumeParked({
        trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
        settle: async () => {
          await this.#wait();
          if (how === 'refuse') return { kind: 'refuse', reason: 'no' };
          return how === 'run' ? { kind: 'run' } : { kind: 'result', content: text('answer') };
        },
      });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/NOT_PARKED|AGENT_DISPOSED/) });
      return false;
    }
  }

  #install(): void {
    const { ctx, model } = this.#bench;
    const next = model.stream.bind(model);
    let reply = 0;
    model.stream = (options) => {
      model.add(this.#scripted(this.#plan.replies[reply++] ?? { kind: 'says' }));
      return next(options);
    };
    for (const name of TOOLS) ctx.tools.register(this.#tool(name));
    ctx.on('agent/status', (_agent, status) => void this.statuses.push(status));
    ctx.on('agent/error', (_agent, _turn, _step, error) => void this.errors.push(error));
    if (this.#plan.retries) ctx.on('agent/request-error', () => ({ action: 'retry' }));
    for (const hook of this.#plan.hooks) this.#hook(hook);
  }

  #scripted(planned: Plan['replies'][number]): ScriptedReply {
    const before = () => this.#wait();
    return { ...this.#plain(planned), before, beforeEnd: before };
  }

  #plain(planned: Plan['replies'][number]): ScriptedReply {
    if ('names' in planned) return callsAll(...planned.names.map((name): [string] => [name]));
    if (planned.kind === 'fails') return fails('SERVER', 'half');
    if (planned.kind === 'ends in error') return finishesWithError('RATE_LIMIT');
    return planned.kind === 'is cut' ? isCut({ type: 'text', text: 'cut' }, callBlock('safe', '{')) : says('done');
  }

  #tool(name: (typeof TOOLS)[number]) {
    const alone = name === 'alone' || name === 'asks' || name === 'cancels';
    return tool(
      name,
      async (_args, { signal }) => {
        const body = { alone };
        this.running.add(body);
        this.overlapped = Math.max(this.overlapped, this.running.size);
        this.clashed ||= this.running.size > 1 && [...this.running].some((other) => other.alone);
        try {
          return await this.#body(name, signal);
        } finally {
          this.running.delete(body);
        }
      },
      { isConcurrencySafe: () => !alone },
    );
  }

  async #body(name: (typeof TOOLS)[number], signal: AbortSignal) {
    await this.#wait();
    if (name === 'throws') throw new Error('no luck');
    if (name === 'injects') this.do('inject');
    if (name === 'steers') this.do('steer');
    if (name === 'sends') this.do('send');
    if (name === 'cancels') this.do('cancel');
    if (name === 'slow' || name === 'asks') for (let i = 0; i < 8 && !signal.aborted; i++) await settle();
    return text(`${name} done`);
  }

  #hook({ at, nth, does }: Plan['hooks'][number]): void {
    let seen = 0;
    const listener = async (...args: unknown[]) => {
      const next = args.at(-1);
      await this.#wait();
      const due = (seen += 1) === nth;
      if (due && does === 'throw') throw new Error(`thrown in ${at}`);
      if (due && does !== 'stop' && does !== 'throw') this.do(does);
      if (typeof next === 'function') return (next as () => unknown)();
      if (!due || does !== 'stop' || at !== 'agent/turn-stop') return undefined;
      this.stopped = true;
      return { action: 'stop' };
    };
    this.#bench.ctx.on(at, listener as never);
  }

  async #wait(): Promise<void> {
    const lags = this.#plan.lags;
    for (let tick = lags[(this.#lag += 1) % lags.length]!; tick > 0; tick--) await settle();
  }

  /** The rules, read from what is left behind. */
  check(): void {
    const { session } = this.agent;
    checkLog(session.events, this.#plan.disposesEarly);
    for (const { messages } of this.#bench.model.requests) checkMessages(messages);
    this.#checkRequests();
    this.#checkInput();
    this.#checkEnds();
    expect(this.overlapped).toBeLessThanOrEqual(this.#plan.cap);
    expect(this.clashed).toBe(false);
    expect(this.running.size).toBe(0);
    this.statuses.forEach((status, index) => expect(status).not.toBe(this.statuses[index - 1]));
  }

  /** S24, S29: what was sent is what the log says was sent. */
  #checkRequests(): void {
    const rebuilt = [...rebuildRequests(this.agent.session.events)].filter(({ sha256 }) => sha256 !== undefined);
    expect(rebuilt.map(({ request }) => requestDigest(request))).toEqual(rebuilt.map(({ sha256 }) => sha256));
    const digests = new Set(rebuilt.map(({ sha256 }) => sha256));
    expect(this.#bench.model.requests.every((request) => digests.has(requestDigest(request)))).toBe(true);
  }

  /** A1, A5, A7, A9: input is recorded once, in order, and lost only where somebody said so. */
  #checkInput(): void {
    const { session } = this.agent;
    const prompts = eventsOf(session, 'user/message').map(({ data }) => idOf(data.content));
    const steering = eventsOf(session, 'steering/message').map(({ data }) => idOf(data.content));
    const contexts = eventsOf(session, 'context/message').map(({ data }) => idOf(data.content));
    const all = [...prompts, ...steering, ...contexts];
    expect(new Set(all).size).toBe(all.length);
    const sends = prompts.filter((id) => id.startsWith('send'));
    expect(sends).toEqual(this.accepted.send.filter((id) => sends.includes(id)));
    const kept = new Set([...all, ...this.handedBack]);
    const lost = [...this.accepted.send, ...this.accepted.steer].filter((id) => !kept.has(id));
    const mayLoseAny = this.cancelled || this.stopped || this.#plan.disposesEarly;
    if (!mayLoseAny) expect(lost.length).toBeLessThanOrEqual(this.#unrecordedPrompts());
    if (!this.#plan.disposesEarly) expect([...contexts].sort()).toEqual([...this.accepted.inject].sort());
  }

  /** Turns that failed before their prompt was recorded. */
  #unrecordedPrompts(): number {
    const { session } = this.agent;
    const withPrompt = new Set<number>();
    let turn = 0;
    for (const { type, data } of session.events) {
      if (type === 'turn/start') turn = data.turn;
      if (type === 'user/message') withPrompt.add(turn);
    }
    const failed = eventsOf(session, 'turn/end').filter(({ data }) => data.reason.kind === 'error');
    return failed.filter(({ data }) => !withPrompt.has(data.turn)).length;
  }

  /** A18, A22, A23: how turns ended has a cause, and an error is told once. */
  #checkEnds(): void {
    const kinds = eventsOf(this.agent.session, 'turn/end').map(({ data }) => data.reason.kind);
    expect(kinds.includes('disposed') && !this.#plan.disposesEarly).toBe(false);
    expect(kinds.includes('aborted') && !this.cancelled).toBe(false);
    const flushes = this.errors.filter((error) => String(error).includes('session/flush'));
    expect(this.errors.length - flushes.length).toBe(kinds.filter((kind) => kind === 'error').length);
  }
}

function idOf(content: readonly unknown[]): string {
  return (content[0] as { text: string }).text;
}
