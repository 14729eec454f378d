import type { Checkout } from '../git/checkout.ts';
import { isAncestor } from '../git/obtain-commit.ts';
import { mergeOnto } from './merge-onto.ts';
import type { StagedTree } from './stage-changes.ts';
import type { TreeChange } from './types.ts';

/** Where staged work can go, seen from the commit that a branch stands at now. */
export type Placed =
  | { readonly kind: 'placed'; readonly staged: StagedTree; readonly isMerged: boolean }
  /** `changes` would lay the merge out on `head`, with git's markers. */
  | { readonly kind: 'conflict'; readonly head: string; readonly paths: string[]; readonly changes: TreeChange[] }
  /** The branch was rewritten: the commit that the work stands on is not part of it any more. */
  | { readonly kind: 'rewritten'; readonly head: string };

/** Brings staged work onto a branch's head, by a three-way merge where that moved on (U3). */
export async function placeOn(
  checkout: Pick<Checkout, 'gitDir' | 'mirror'>,
  staged: StagedTree,
  head: string,
  signal?: AbortSignal,
): Promise<Placed> {
  if (head === staged.parentSha) return { kind: 'placed', staged, isMerged: false };
  if (!(await isAncestor(checkout, staged.parentSha, head, signal))) return { kind: 'rewritten', head };
  const merge = await mergeOnto(checkout, staged, head, signal);
  if (merge.kind === 'conflict') return { ...merge, head };
  return { kind: 'placed', staged: merge.staged, isMerged: true };
}
