export interface SetupFacts {
  readonly isTrusted: boolean;
  /** Digests of the lockfiles; the base's is absent where its branch is not at hand. */
  readonly base: string | undefined;
  readonly head: string;
}

/** On which tree setup runs. What it leaves is kept for later sessions only where that is the base. */
export type SetupPlan = 'base' | 'head' | 'left out';

/**
 * Only a base branch's tree fills the cache, else a pull request could plant code in later sessions; a head that needs
 * other dependencies gets a run of its own, and an untrusted one gets none. Pure.
 */
export function planSetup({ isTrusted, base, head }: SetupFacts): SetupPlan {
  if (base === head) return 'base';
  return isTrusted ? 'head' : 'left out';
}
