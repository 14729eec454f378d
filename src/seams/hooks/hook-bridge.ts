import type { Agent, HookContext } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { DialectRules } from './dialects.ts';
import { mergeHookOutputs } from './merge-outputs.ts';
import type { HookTable, RegisteredHook } from './parse-hook-settings.ts';
import { subjectOf } from './payload.ts';
import type { PointFacts } from './payload.ts';
import { recordInvoked, recordResult } from './record-hook.ts';
import { runHook } from './run-hook.ts';
import type { RunHookResult } from './run-hook.ts';
import type { HookOutput, HookPoint, MergedHookOutcome } from './types.ts';

export interface BridgeSettings {
  readonly defaultTimeoutMs: number;
  readonly stderrSummaryMaxChars: number;
  /** What hooks are told of the model; absent: the one last used. */
  readonly model?: string;
  env(cwd: string): Record<string, string>;
}

interface HookRun {
  readonly agent: Agent;
  readonly facts: PointFacts;
  readonly signal: AbortSignal;
  /** Present where the run is logged. */
  readonly turn: number | undefined;
}

const DETACHED: ReadonlySet<HookPoint> = new Set(['SessionStart', 'SubagentStart', 'SubagentStop']);

/** Runs the hooks of one dialect at the points the listeners name. */
export class HookBridge {
  readonly ctx: Context;
  readonly rules: DialectRules;
  readonly #table: HookTable;
  readonly #settings: BridgeSettings;

  constructor(ctx: Context, rules: DialectRules, table: HookTable, settings: BridgeSettings) {
    this.ctx = ctx;
    this.rules = rules;
    this.#table = table;
    this.#settings = settings;
  }

  /** All hooks that match, one after the other in configuration order. Never rejects because of a hook. */
  async run(agent: Agent, facts: PointFacts, signal: AbortSignal): Promise<MergedHookOutcome> {
    // What nobody waits for may outlast the turn it began in, so it is no part of it.
    const turn = DETACHED.has(facts.point) ? undefined : agent.session.openTurn;
    const outputs: HookOutput[] = [];
    for (const hook of this.#matching(facts)) {
      if (signal.aborted) break;
      outputs.push(await this.#runOne(hook, { agent, facts, signal, turn }));
    }
    return mergeHookOutputs(outputs);
  }

  /** What hooks added, as their word and nobody else's. */
  contexts({ additionalContext }: MergedHookOutcome): HookContext[] {
    return additionalContext.map((text) => ({ content: [{ type: 'text', text }], source: this.rules.source }));
  }

  #matching(facts: PointFacts): RegisteredHook[] {
    const subject = subjectOf(facts);
    const hooks = this.#table.get(facts.point) ?? [];
    return hooks.filter((hook) => subject === undefined || hook.matches(subject));
  }

  async #runOne(hook: RegisteredHook, run: HookRun): Promise<HookOutput> {
    const { agent, facts, turn } = run;
    const { point } = facts;
    const { handlerId, matcher } = hook;
    if (turn === undefined) return (await this.#execute(hook, run)).output;
    const { dialect } = this.rules;
    recordInvoked(agent.session, { turn, point, dialect, handlerId, ...(matcher !== undefined && { matcher }) });
    const result = await this.#execute(hook, run);
    const { stderrSummaryMaxChars } = this.#settings;
    recordResult(agent.session, { turn, point, handlerId, stderrSummaryMaxChars, ...result });
    return result.output;
  }

  async #execute(hook: RegisteredHook, { agent, facts, signal, turn }: HookRun): Promise<RunHookResult> {
    const { bash } = this.ctx;
    const { session } = agent;
    const sandboxPolicy = this.ctx.get('sandboxPolicy')?.resolve({ session });
    const cwd = session.header.cwd ?? bash.resolve({ command: 'pwd' }).workdir;
    const place = { sessionId: agent.id, cwd, turn, model: this.#modelOf(agent) };
    const result = await runHook(bash, hook, {
      payload: this.rules.payload(facts, place),
      env: this.#settings.env(cwd),
      cwd,
      ...(sandboxPolicy && { sandboxPolicy }),
      signal,
      trailingNewline: this.rules.trailingNewline,
      defaultTimeoutMs: this.#settings.defaultTimeoutMs,
      expectedEventName: facts.point,
    });
    return { ...result, output: this.rules.interpret(result.output, facts) };
  }

  #modelOf({ session, options }: Agent): string {
    return this.#settings.model ?? session.requestHeader()?.config.model ?? options.model ?? '';
  }
}
