import type { Checkout } from '../../github/git/checkout.ts';
import { git } from '../../github/git/git.ts';

/** Every path of a checkout's head. */
export async function readPaths(
  { gitDir, headSha }: Pick<Checkout, 'gitDir' | 'headSha'>,
  signal: AbortSignal,
): Promise<Set<string>> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--name-only', headSha], { gitDir, signal });
  return new Set(stdout.toString().split('\0').filter(Boolean));
}
