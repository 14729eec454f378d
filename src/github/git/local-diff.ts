import { parseGitDiff } from '../diff/parse-git-diff.ts';
import type { DiffFile } from '../diff/types.ts';
import type { Checkout } from './checkout.ts';
import { diffCommits } from './diff-commits.ts';
import { mergeBase } from './merge-base.ts';
import { mirrorOptions } from './mirror.ts';

/** The three-dot diff of a checkout: what its head changed since it left the base. */
export async function localDiff(checkout: Checkout, signal?: AbortSignal): Promise<DiffFile[]> {
  const base = await mergeBase(checkout, signal);
  return parseGitDiff(await diffCommits({ ...(await mirrorOptions(checkout.mirror)), signal }, base, checkout.headSha));
}
