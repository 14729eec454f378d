import { noMergeBase } from '../errors.ts';
import type { Checkout } from './checkout.ts';
import { git } from './git.ts';
import { fetchRefs, isShallow, withMirrorLock, type Mirror } from './mirror.ts';

const FIRST_DEEPEN = 50;
const MAX_DEEPEN = 100_000;

/** Where the two histories part. A shallow one is deepened until that shows; no common commit is an error. */
export async function mergeBase(
  checkout: Pick<Checkout, 'mirror' | 'baseSha' | 'headSha'>,
  signal?: AbortSignal,
): Promise<string> {
  const { mirror, baseSha, headSha } = checkout;
  for (let depth = FIRST_DEEPEN; ; depth *= 4) {
    const found = await findMergeBase(mirror, baseSha, headSha, signal);
    if (found) return found;
    if (!(await isShallow(mirror)) || depth > MAX_DEEPEN) throw noMergeBase(baseSha, headSha);
    await deepen(mirror, depth, [baseSha, headSha], signal);
  }
}

async function findMergeBase(mirror: Mirror, a: string, b: string, signal?: AbortSignal): Promise<string | undefined> {
  const { exitCode, stdout } = await git(['merge-base', a, b], { gitDir: mirror.gitDir, answers: [0, 1], signal });
  return exitCode === 0 ? stdout.toString().trim() : undefined;
}

async function deepen(mirror: Mirror, depth: number, shas: string[], signal?: AbortSignal): Promise<void> {
  const refspecs = shas.map((sha) => `+${sha}:refs/kept/${sha}`);
  await withMirrorLock(mirror, () => fetchRefs(mirror, refspecs, [`--deepen=${depth}`], signal), signal);
}
