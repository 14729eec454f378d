import type { Context, Disposer, Plugin } from '../../harness/kernel/context.ts';
import { VIEW_FOR } from '../../harness/kernel/service-registry.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { checkDefinition, isSkillName } from './check-skill.ts';
import { SkillRegistry } from './skill-registry.ts';
import type {
  SkillCandidate,
  SkillDefinition,
  SkillLookupOptions,
  SkillProvider,
  SkillRegistration,
  SkillSummary,
} from './types.ts';
import { assertNotAborted, untilAborted } from './until-aborted.ts';

export interface SkillsConfig {
  /** How many catalogues are remembered. */
  collectCacheMaxEntries?: number;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    skills: SkillService;
  }
}

const DEFAULT_CACHE_ENTRIES = 128;

/** Service `ctx.skills`: one catalogue of what all providers offer. What is registered lives as long as its context. */
export class SkillService {
  readonly #ctx: Context;
  readonly #registry: SkillRegistry;

  constructor(ctx: Context, registry: SkillRegistry) {
    this.#ctx = ctx;
    this.#registry = registry;
  }

  [VIEW_FOR](ctx: Context): SkillService {
    return new SkillService(ctx, this.#registry);
  }

  /** Asks nothing yet: slow work belongs into `list`. Throws `SKILL_PROVIDER_EXISTS`. */
  registerProvider(provider: SkillProvider): Disposer {
    return this.#ctx.effect(() => this.#registry.addProvider(provider), `skill provider ${provider.name}`);
  }

  /** One skill from the process itself. Of two with one name the earlier stays. Throws `SKILL_INVALID`. */
  register(skill: SkillRegistration): Disposer {
    return this.#ctx.effect(() => this.#registry.addRuntime(skill), `skill ${skill.name}`);
  }

  /** What the model may use, by name. */
  async list(options: SkillLookupOptions = {}): Promise<SkillSummary[]> {
    const catalogue = await this.#registry.collect(options);
    return [...catalogue.values()]
      .filter(({ candidate }) => candidate.disableModelInvocation !== true)
      .map(({ candidate }) => summaryOf(candidate))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What is known of a skill without its instructions, also of one that is not for the model. */
  async find(name: string, options: SkillLookupOptions = {}): Promise<SkillSummary | undefined> {
    if (!isSkillName(name)) return undefined;
    const entry = (await this.#registry.collect(options)).get(name);
    return entry && summaryOf(entry.candidate);
  }

  /** A skill with its instructions, also one that is not for the model; undefined if it is not there (any more). */
  async get(name: string, options: SkillLookupOptions = {}): Promise<SkillDefinition | undefined> {
    if (!isSkillName(name)) return undefined;
    const entry = (await this.#registry.collect(options)).get(name);
    if (!entry) return undefined;
    const { candidate, provider } = entry;
    const loading = Promise.try(() => provider.get(candidate, options));
    const loaded = await untilAborted(loading, options.signal);
    assertNotAborted(options.signal);
    return loaded === undefined ? undefined : checkDefinition(loaded, candidate);
  }
}

function summaryOf(candidate: SkillCandidate): SkillSummary {
  const { rank: _rank, locator: _locator, path: _path, metadata: _metadata, ...summary } = candidate;
  return summary;
}

/** Provides `ctx.skills`. */
export const skills: Plugin<SkillsConfig | undefined> = {
  name: 'skills',
  apply(ctx: Context, { collectCacheMaxEntries = DEFAULT_CACHE_ENTRIES } = {}) {
    if (!Number.isSafeInteger(collectCacheMaxEntries) || collectCacheMaxEntries < 1) {
      throw new HarnessError('skills: collectCacheMaxEntries must be a whole number from 1', 'SKILL_CONFIG');
    }
    const warn = (error: unknown) => ctx.notify('kernel/error', error, 'skills');
    ctx.provide('skills', new SkillService(ctx, new SkillRegistry(collectCacheMaxEntries, warn)));
  },
};
