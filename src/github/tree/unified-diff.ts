import { diffCommits } from '../git/diff-commits.ts';
import type { StagedTree } from './stage-changes.ts';

/** Changes as people read them and `git apply` takes them: binary files included, renames found. */
export async function unifiedDiff(gitDir: string, staged: StagedTree, signal?: AbortSignal): Promise<string> {
  return await diffCommits({ gitDir, signal }, staged.parentTreeSha, staged.treeSha, ['--binary']);
}
