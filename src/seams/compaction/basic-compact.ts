import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { Message } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type * as z from 'zod';
import { addAutomaticCompaction } from './automatic-compaction.ts';
import { frameSummary } from './checkpoint.ts';
import { isCheckpoint, oldestRegion } from './choose-region.ts';
import { compactRegion } from './compact-region.ts';
import type { Summarized } from './compact-region.ts';
import { CompactPolicies, routeKey } from './policy.ts';
import type { BasicCompactConfig, CompactPolicy, CompactRoute } from './policy.ts';
import { limitsOf } from './pressure-limits.ts';
import type { PressureLimits } from './pressure-limits.ts';
import { callForSummary } from './summary-call.ts';
import type { SummaryCall } from './summary-call.ts';
import { SUMMARY_INSTRUCTION } from './summary-instruction.ts';
import { summarizeUnits } from './summarize-units.ts';
import { unitsOf } from './summary-units.ts';
import { CompactService } from './types.ts';
import type { CompactAgentContext, CompactionResult, CompactionTrigger, SummarizationInput } from './types.ts';

export interface BasicCompactOptions extends z.input<typeof BasicCompactConfig> {
  /** What the host knows of the work as it stands, put below each summary: it cannot be summarized away. */
  facts?: (session: Session) => Promise<string | undefined> | string | undefined;
  /** Takes out of a summary what only the host may say. */
  harmless?: (summary: string) => string;
}

/** Summaries by one model call each, for the cache's sake in the words of the conversation's own last request. */
export class BasicCompact extends CompactService {
  readonly policies: CompactPolicies;
  readonly #ctx: Context;
  readonly #host: Pick<BasicCompactOptions, 'facts' | 'harmless'>;
  readonly #warned = new Set<string>();

  /** Throws `COMPACT_CONFIG`. */
  constructor(ctx: Context, { facts, harmless, ...config }: BasicCompactOptions = {}) {
    super();
    this.#ctx = ctx;
    this.#host = { ...(facts && { facts }), ...(harmless && { harmless }) };
    this.policies = new CompactPolicies(config);
  }

  compactIfNeeded(
    agent: CompactAgentContext,
    trigger: CompactionTrigger,
    signal: AbortSignal,
  ): Promise<CompactionResult | null> {
    return trigger === 'pressure' ? this.#relieve(agent, signal) : this.#makeRoom(agent, signal);
  }

  compactRegion(start: number, end: number, agent: CompactAgentContext, signal?: AbortSignal) {
    return compactRegion(
      agent.session,
      { start, end },
      { meter: this.#ctx.tokenMeter, signal, summarize: (seqs) => this.#summarizeNodes(seqs, agent, signal) },
    );
  }

  /** One request for a summary; a subclass may get it elsewhere. */
  protected summarize(input: SummarizationInput, call: SummaryCall): Promise<string> {
    return callForSummary(this.#ctx, input, call);
  }

  async #relieve(agent: CompactAgentContext, signal: AbortSignal): Promise<CompactionResult | null> {
    const { session } = agent;
    const route = loggedRoute(session);
    if (!route) return null;
    const policy = this.policies.of(route);
    const limits = await this.#limitsOf(session, route, policy);
    const isHigh = () => limits !== undefined && this.#measure(session).totalTokens >= limits.threshold;
    if (!limits || !isHigh()) return null;
    this.#prune(session);
    if (!isHigh()) return null;
    let result: CompactionResult | null = null;
    for (let attempt = 0; attempt <= policy.compactionRetries; attempt += 1) {
      signal.throwIfAborted();
      const region = oldestRegion(session, this.#measure(session).nodes, limits.retain);
      if (!region || (!result && isCheckpoint(session, region))) break;
      result = await this.compactRegion(region.start, region.end, agent, signal);
      if (!isHigh()) return result;
    }
    if (result) throw new HarnessError('the history was compacted and is still too large', 'COMPACT_STILL_ABOVE');
    return null;
  }

  /** All but the newest, whatever the window is: the provider has said that this is too much. */
  async #makeRoom(agent: CompactAgentContext, signal: AbortSignal): Promise<CompactionResult | null> {
    this.#prune(agent.session);
    signal.throwIfAborted();
    const region = oldestRegion(agent.session, this.#measure(agent.session).nodes, 0);
    return region ? this.compactRegion(region.start, region.end, agent, signal) : null;
  }

  #measure(session: Session) {
    return this.#ctx.tokenMeter.measure(session);
  }

  #prune(session: Session): void {
    this.#ctx.get('toolResultPrune')?.prune(session);
  }

  /** Asked anew each time: routes come and go. What is missing or does not fit is told once for each route. */
  async #limitsOf(session: Session, route: CompactRoute, policy: CompactPolicy): Promise<PressureLimits | undefined> {
    const window = await this.#windowOf(route);
    const limits = limitsOf({ window, working: this.policies.workingWindow, policy, header: session.requestHeader() });
    if (typeof limits !== 'string') return limits;
    const key = routeKey(route);
    if (!this.#warned.has(key)) {
      const message = `the history of ${route.provider}/${route.model} is not kept small: ${limits}`;
      this.#ctx.notify('kernel/error', new HarnessError(message, 'COMPACT_NOT_CONFIGURED'), 'compaction');
    }
    this.#warned.add(key);
    return undefined;
  }

  async #windowOf({ provider, model }: CompactRoute): Promise<number | undefined> {
    const known = this.#ctx.llm.listProviders().some(({ id }) => id === provider);
    return known ? (await this.#ctx.llm.resolveModelContext(provider, model))?.contextWindow : undefined;
  }

  async #summarizeNodes(
    seqs: readonly number[],
    agent: CompactAgentContext,
    signal: AbortSignal | undefined,
  ): Promise<Summarized> {
    const { session } = agent;
    const route = this.#summarizerOf(agent);
    const { maxTokens } = this.policies.of(loggedRoute(session) ?? route);
    const { config, system, tools, messagePrefix = [] } = session.requestHeader() ?? {};
    const call = { session, config: { ...config, ...route, maxTokens }, signal };
    const ask = (messages: Message[]) =>
      this.summarize(
        {
          ...(system !== undefined && { system }),
          ...(tools !== undefined && { tools }),
          messages: [...messagePrefix, ...messages, INSTRUCTION],
        },
        call,
      );
    const fits = await this.#roomFor(session, route, maxTokens);
    const units = unitsOf(session, seqs, this.#measure(session).nodes);
    const text = await summarizeUnits(units, fits, ask, (summary) => ({
      role: 'user',
      content: frameSummary(summary),
    }));
    const { facts, harmless = (summary) => summary } = this.#host;
    return { text: harmless(text), facts: await facts?.(session), route, maxTokens };
  }

  /** The configured pair, else the route last logged, else the agent's own. */
  #summarizerOf({ session, options }: CompactAgentContext): CompactRoute {
    const logged = loggedRoute(session);
    const { provider, model } = options;
    const own = provider !== undefined && model !== undefined ? { provider, model } : undefined;
    const route = (logged && this.policies.of(logged).summarizer) ?? logged ?? own;
    if (route) return route;
    throw new HarnessError('nobody is known who could summarize', 'COMPACT_NO_TARGET');
  }

  /** How much of the history one summary request can carry beside all else it holds. */
  async #roomFor(session: Session, route: CompactRoute, maxTokens: number): Promise<number | undefined> {
    const window = await this.#windowOf(route);
    if (window === undefined) return undefined;
    const { totalTokens, surfaceTokens } = this.#measure(session);
    const beside =
      Math.max(0, totalTokens - surfaceTokens) + maxTokens + this.#ctx.tokenMeter.estimateMessage(INSTRUCTION);
    return Math.max(window - beside, window / 4);
  }
}

const INSTRUCTION: Message = { role: 'user', content: [{ type: 'text', text: SUMMARY_INSTRUCTION }] };

function loggedRoute(session: Session): CompactRoute | undefined {
  const config = session.requestHeader()?.config;
  return config && { provider: config.provider, model: config.model };
}

/** Provides `ctx.compact`. Mount the token meter before it, and the pruner if there is to be one. */
export const basicCompact: Plugin<BasicCompactOptions | undefined> = {
  name: 'compact-basic',
  inject: ['llm', 'tokenMeter'],
  apply(ctx: Context, options = {}) {
    const service = new BasicCompact(ctx, options);
    ctx.provide('compact', service);
    if (service.policies.auto) addAutomaticCompaction(ctx, service, service.policies);
  },
};
