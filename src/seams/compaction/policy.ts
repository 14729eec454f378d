import * as z from 'zod';
import { HarnessError } from '../../harness/llm/errors.ts';

const ratio = z.number().gt(0).max(1);
const count = z.int().nonnegative();

const POLICY = {
  /** Share of the window from which on there is pressure. */
  thresholdRatio: ratio.optional(),
  /** Share of the window that the newest part keeps; `retainTokens` says it in tokens. */
  retainRatio: ratio.optional(),
  retainTokens: count.optional(),
  /** Who summarizes; without the pair, the model of the conversation. */
  summarizationProvider: z.string().min(1).optional(),
  summarizationModel: z.string().min(1).optional(),
  /** Longest summary. */
  maxTokens: z.int().positive().optional(),
  /** Further attempts while there still is pressure. */
  compactionRetries: count.optional(),
  /** How often in a row a request that overflowed is mended; 0 for never. */
  maxOverflowRetries: count.optional(),
};

export const CompactPolicyConfig = z.strictObject(POLICY);
export type CompactPolicyConfig = z.input<typeof CompactPolicyConfig>;

/** What is different for one model. */
export const ModelCompactPolicyConfig = z.strictObject({
  ...POLICY,
  provider: z.string().min(1),
  model: z.string().min(1),
});
export type ModelCompactPolicyConfig = z.input<typeof ModelCompactPolicyConfig>;

export const BasicCompactConfig = z.strictObject({
  ...POLICY,
  modelPolicies: z.array(ModelCompactPolicyConfig).default([]),
  /** Whether it acts by itself, after steps and on overflow. */
  auto: z.boolean().default(true),
  /** The largest window to work in, in tokens, also where the model has more; the window of a model that tells none. */
  workingWindow: z.int().positive().optional(),
});

export interface CompactRoute {
  readonly provider: string;
  readonly model: string;
}

/** The policy of one route, with nothing left open. */
export interface CompactPolicy {
  readonly thresholdRatio: number;
  readonly retain: { readonly ratio: number } | { readonly tokens: number };
  readonly summarizer: CompactRoute | undefined;
  readonly maxTokens: number;
  readonly compactionRetries: number;
  readonly maxOverflowRetries: number;
}

const DEFAULT_RETAIN_RATIO = 0.16;

/** Checked once, so that a wrong setting fails at load. Throws `COMPACT_CONFIG`. */
export class CompactPolicies {
  readonly auto: boolean;
  readonly workingWindow: number | undefined;
  readonly #base: CompactPolicy;
  readonly #byRoute = new Map<string, CompactPolicy>();

  constructor(input: z.input<typeof BasicCompactConfig> = {}) {
    const parsed = BasicCompactConfig.safeParse(input);
    if (!parsed.success) throw wrong(z.prettifyError(parsed.error));
    const { modelPolicies, auto, workingWindow, ...base } = parsed.data;
    this.auto = auto;
    this.workingWindow = workingWindow;
    this.#base = policyOf(base);
    for (const { provider, model, ...own } of modelPolicies) {
      const key = routeKey({ provider, model });
      if (this.#byRoute.has(key)) throw wrong(`${provider}/${model} has two policies`);
      this.#byRoute.set(key, policyOf(merged(base, own)));
    }
  }

  of(route: CompactRoute): CompactPolicy {
    return this.#byRoute.get(routeKey(route)) ?? this.#base;
  }
}

export function routeKey({ provider, model }: CompactRoute): string {
  return JSON.stringify([provider, model]);
}

/** One form of a thing that has two drives out the other. */
function merged(base: CompactPolicyConfig, own: CompactPolicyConfig): CompactPolicyConfig {
  const inherited = { ...base };
  if (own.retainTokens !== undefined) delete inherited.retainRatio;
  if (own.retainRatio !== undefined) delete inherited.retainTokens;
  if (own.summarizationProvider !== undefined || own.summarizationModel !== undefined) {
    delete inherited.summarizationProvider;
    delete inherited.summarizationModel;
  }
  return { ...inherited, ...own };
}

function policyOf(config: CompactPolicyConfig): CompactPolicy {
  const { retainRatio, retainTokens, summarizationProvider: provider, summarizationModel: model } = config;
  const { thresholdRatio = 0.8, maxTokens = 8192, compactionRetries = 1, maxOverflowRetries = 1 } = config;
  if (retainRatio !== undefined && retainTokens !== undefined) throw wrong('retainRatio and retainTokens are both set');
  if ((provider === undefined) !== (model === undefined))
    throw wrong('summarizationProvider and summarizationModel are set only together');
  const share = retainRatio ?? DEFAULT_RETAIN_RATIO;
  if (retainTokens === undefined && share >= thresholdRatio)
    throw wrong(`retainRatio ${share} must be below thresholdRatio ${thresholdRatio}`);
  return {
    ...{ thresholdRatio, maxTokens, compactionRetries, maxOverflowRetries },
    retain: retainTokens === undefined ? { ratio: share } : { tokens: retainTokens },
    summarizer: provider !== undefined && model !== undefined ? { provider, model } : undefined,
  };
}

function wrong(why: string): HarnessError {
  return new HarnessError(`compaction: ${why}`, 'COMPACT_CONFIG');
}
