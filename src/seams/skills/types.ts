/** Open: where a skill comes from. */
export type SkillSource =
  'project-dsh' | 'project-agents' | 'runtime' | 'user-dsh' | 'user-agents' | 'custom' | (string & {});

/** Where the files that a skill speaks of are. */
export type SkillResourceBase =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'opaque'; readonly description: string };

export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  /** Only trusted callers load it; the model neither sees nor gets it. */
  readonly disableModelInvocation?: boolean;
  readonly source: SkillSource;
  readonly provider: string;
  readonly resourceBase?: SkillResourceBase;
}

/** A skill that a provider offers. Borrowed: nobody changes it, and the provider gets the very same object back. */
export interface SkillCandidate extends SkillSummary {
  /** The lower wins a name. */
  readonly rank: number;
  /** Known to the provider alone. */
  readonly locator: unknown;
  readonly path?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SkillDefinition extends SkillSummary {
  /** The instructions, without what describes them. */
  readonly content: string;
  readonly path?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type SkillRegistration = Omit<SkillDefinition, 'provider'> & { readonly provider?: string };

export interface SkillLookupOptions {
  readonly cwd?: string;
  /** Tells apart what has the same `cwd`, such as two repositories at one path in their containers. */
  readonly workspace?: string;
  readonly signal?: AbortSignal;
}

export interface SkillProvider {
  readonly name: string;
  readonly list: (options: SkillLookupOptions) => Promise<readonly SkillCandidate[]>;
  readonly get: (candidate: SkillCandidate, options: SkillLookupOptions) => Promise<SkillDefinition | undefined>;
}
