import { git } from './git.ts';
import { mirrorOptions, type Mirror } from './mirror.ts';

/**
 * Fills an empty folder with a commit's files. Git runs on the mirror, with an index of the session's own: what a
 * partial mirror has to fetch for this tree then stays there for the next session.
 */
export async function writeWorkTree(
  mirror: Mirror,
  { workTree, index, sha }: { workTree: string; index: string; sha: string },
  signal?: AbortSignal,
): Promise<void> {
  await git(['-c', 'core.bare=false', 'read-tree', '-m', '-u', sha], {
    ...(await mirrorOptions(mirror)),
    workTree,
    env: { GIT_INDEX_FILE: index },
    signal,
  });
}
