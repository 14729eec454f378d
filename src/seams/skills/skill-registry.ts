import { HarnessError } from '../../harness/llm/errors.ts';
import { checkCandidates, checkDefinition } from './check-skill.ts';
import { RuntimeSkills } from './runtime-skills.ts';
import type { SkillCandidate, SkillLookupOptions, SkillProvider, SkillRegistration } from './types.ts';
import { assertNotAborted, untilAborted } from './until-aborted.ts';

/** Whose skill has a name, and who loads it. */
export interface CatalogueEntry {
  readonly candidate: SkillCandidate;
  readonly provider: Pick<SkillProvider, 'name' | 'get'>;
}
export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

type Registered = Pick<SkillProvider, 'name' | 'list' | 'get'>;

interface Collected {
  readonly catalogue: Catalogue;
  /** A provider failed, so something may be missing. */
  readonly isReduced: boolean;
}

/** Registrations that go on changing must not keep a look-up for ever. */
const MAX_COLLECTIONS = 3;

/** Providers and runtime skills, and the catalogues made of them. */
export class SkillRegistry {
  readonly #providers: Registered[] = [];
  readonly #runtime = new RuntimeSkills();
  readonly #cache = new Map<string, Catalogue>();
  readonly #maxCached: number;
  readonly #warn: (error: unknown) => void;
  #revision = 0;

  constructor(maxCached: number, warn: (error: unknown) => void) {
    this.#maxCached = maxCached;
    this.#warn = warn;
  }

  /** Name and callbacks are read now: the object may be another one when it leaves. */
  addProvider({ name, list, get }: SkillProvider): () => void {
    if (name === this.#runtime.name || this.#providers.some((other) => other.name === name)) {
      throw new HarnessError(`there is a skill provider "${name}" already`, 'SKILL_PROVIDER_EXISTS');
    }
    const provider = { name, list, get };
    this.#providers.push(provider);
    this.#change();
    return () => {
      this.#providers.splice(this.#providers.indexOf(provider), 1);
      this.#change();
    };
  }

  addRuntime(registration: SkillRegistration): () => void {
    const skill = { ...registration, provider: registration.provider ?? this.#runtime.name };
    checkDefinition(skill, skill);
    if (this.#runtime.has(skill.name)) {
      this.#warn(new HarnessError(`there is a runtime skill "${skill.name}" already`, 'SKILL_EXISTS'));
      return () => {};
    }
    const remove = this.#runtime.add(skill);
    this.#change();
    return () => {
      remove();
      this.#change();
    };
  }

  /** The winner of each name. Throws `SKILL_INVALID`, and what the signal was aborted for. */
  async collect(options: SkillLookupOptions): Promise<Catalogue> {
    assertNotAborted(options.signal);
    const key = JSON.stringify([options.cwd, options.workspace]);
    for (let attempt = 1; ; attempt += 1) {
      const known = this.#cache.get(key);
      if (known) return known;
      const revision = this.#revision;
      const { catalogue, isReduced } = await this.#collectOnce(options);
      assertNotAborted(options.signal);
      const isCurrent = revision === this.#revision;
      if (isCurrent && !isReduced) this.#remember(key, catalogue);
      if (isCurrent || attempt === MAX_COLLECTIONS) return catalogue;
    }
  }

  async #collectOnce(options: SkillLookupOptions): Promise<Collected> {
    const offers = [...this.#runtime.offers()].map((candidate) => ({ candidate, provider: this.#runtime }));
    const providers = [...this.#providers];
    const lists = await Promise.all(providers.map((provider) => this.#listOf(provider, options)));
    const all: CatalogueEntry[] = [
      ...offers,
      ...lists.flatMap((list, at) => (list ?? []).map((candidate) => ({ candidate, provider: providers[at]! }))),
    ];
    // A stable sort: among equals the earlier registration wins, and within one provider its own order.
    const ranked = all.toSorted((a, b) => a.candidate.rank - b.candidate.rank);
    const catalogue = new Map<string, CatalogueEntry>();
    for (const entry of ranked) {
      const winner = catalogue.get(entry.candidate.name);
      if (winner) this.#warn(shadowed(entry, winner));
      else catalogue.set(entry.candidate.name, entry);
    }
    return { catalogue, isReduced: lists.includes(undefined) };
  }

  /** A provider that fails hides nobody else's skills; one that answers nonsense does not go unnoticed. */
  async #listOf(provider: Registered, options: SkillLookupOptions): Promise<readonly SkillCandidate[] | undefined> {
    let listed: unknown;
    try {
      listed = await untilAborted(
        Promise.try(() => provider.list(options)),
        options.signal,
      );
    } catch (error) {
      assertNotAborted(options.signal);
      const cause = { cause: error };
      this.#warn(new HarnessError(`skill provider "${provider.name}" failed`, 'SKILL_PROVIDER_FAILED', cause));
      return undefined;
    }
    return checkCandidates(listed, provider.name);
  }

  #remember(key: string, catalogue: Catalogue): void {
    this.#cache.set(key, catalogue);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > this.#maxCached && oldest !== undefined) this.#cache.delete(oldest);
  }

  #change(): void {
    this.#revision += 1;
    this.#cache.clear();
  }
}

function shadowed({ candidate, provider }: CatalogueEntry, winner: CatalogueEntry): HarnessError {
  const who = `skill "${candidate.name}" of ${provider.name}`;
  return new HarnessError(`${who} is hidden by that of ${winner.provider.name}`, 'SKILL_SHADOWED');
}
