import { randomUUID } from 'node:crypto';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Disposer, Plugin } from '../../harness/kernel/context.ts';
import { VIEW_FOR } from '../../harness/kernel/service-registry.ts';
import { scopeTarget } from '../../harness/scope/scope.ts';
import { checkStartRequest } from './check-start-request.ts';
import { logRuns } from './log-runs.ts';
import { SubagentError } from './subagent-error.ts';
import { SubagentCounter } from './subagent-limits.ts';
import type { SubagentLimits } from './subagent-limits.ts';
import type {
  SubagentProvider,
  SubagentResult,
  SubagentRun,
  SubagentRunEndInfo,
  SubagentRunId,
  SubagentRunInfo,
  SubagentStartRequest,
} from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    subagents: SubagentService;
  }
}

interface Core {
  readonly root: Context;
  readonly providers: Map<string, SubagentProvider>;
  readonly counter: SubagentCounter;
  /** Those whose result is still to come. */
  readonly running: Map<SubagentRunId, SubagentRun>;
}

/** `ctx.subagents`: who can run child agents, and the life of each run as events of the agent that delegates. */
export class SubagentService {
  readonly #ctx: Context;
  readonly #core: Core;

  constructor(ctx: Context, core: Core) {
    this.#ctx = ctx;
    this.#core = core;
  }

  [VIEW_FOR](ctx: Context): SubagentService {
    return new SubagentService(ctx, this.#core);
  }

  /** Lives as long as the context it was registered through. Throws `DUPLICATE_PROVIDER`. */
  registerProvider(provider: SubagentProvider): Disposer {
    return this.#ctx.effect(() => this.#add(provider), `subagent provider ${provider.name}`);
  }

  getProvider(name: string): SubagentProvider | undefined {
    return this.#core.providers.get(name);
  }

  list(): string[] {
    return [...this.#core.providers.keys()];
  }

  /**
   * A child that is ready and that the caller has to dispose. Its end is told once `result` settles.
   * @throws SubagentError, or what kept the provider from making a child; nothing is left behind then
   */
  async start(name: string, request: SubagentStartRequest): Promise<SubagentRun> {
    const provider = this.getProvider(name);
    if (!provider) {
      const known = this.list().join(', ') || 'none';
      throw new SubagentError(`there is no subagent provider "${name}"; there is: ${known}`, 'NO_PROVIDER');
    }
    checkStartRequest(provider, request);
    const leave = this.#core.counter.enter(request.parent);
    const run = await provider.start(request).catch((error: unknown) => {
      leave();
      throw error;
    });
    this.#follow(run, infoOf(run, name, request), request.parent, leave);
    return run;
  }

  #add(provider: SubagentProvider): Disposer {
    const { providers, root } = this.#core;
    const { name } = provider;
    if (providers.has(name)) {
      throw new SubagentError(`a subagent provider "${name}" is registered already`, 'DUPLICATE_PROVIDER');
    }
    providers.set(name, provider);
    try {
      root.emit('subagent/provider-added', provider);
    } catch (error) {
      providers.delete(name);
      throw error;
    }
    return () => {
      providers.delete(name);
      root.notify('subagent/provider-removed', name);
    };
  }

  #follow(run: SubagentRun, info: SubagentRunInfo, parent: Agent, leave: () => void): void {
    const carrier = scopeTarget<Agent>(parent, parent);
    this.#core.running.set(info.runId, run);
    this.#core.root.notify(carrier, 'subagent/start', info);
    const end = (facts: Omit<SubagentRunEndInfo, keyof SubagentRunInfo>) => {
      leave();
      this.#core.running.delete(info.runId);
      this.#core.root.notify(carrier, 'subagent/end', Object.freeze({ ...info, ...facts }));
    };
    run.result.then(
      ({ stopReason, output, patch }: SubagentResult) =>
        end({ stopReason, lastAssistantMessage: output, ...(patch && { patch: patch.id }) }),
      () => end({ stopReason: 'error' }),
    );
  }
}

function infoOf(run: SubagentRun, provider: string, { label }: SubagentStartRequest): SubagentRunInfo {
  const runId = randomUUID() as SubagentRunId;
  const local = run.localAgent !== undefined;
  return Object.freeze({ runId, provider, id: run.id, local, ...(label !== undefined && { label }) });
}

/** Provides `ctx.subagents`. Without limits there are none. */
export const subagents: Plugin<SubagentLimits | undefined> = {
  name: 'subagents',
  inject: ['sessions'],
  apply(ctx, limits = {}) {
    const core: Core = {
      root: ctx,
      providers: new Map(),
      counter: new SubagentCounter(limits),
      running: new Map(),
    };
    ctx.provide('subagents', new SubagentService(ctx, core));
    logRuns(ctx, (runId) => core.running.get(runId)?.localAgent?.session);
  },
};
