import { gitText } from '../git/git.ts';

/** Anybody will do: such a commit never leaves the machine. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'dsh',
  GIT_AUTHOR_EMAIL: 'dsh@localhost',
  GIT_COMMITTER_NAME: 'dsh',
  GIT_COMMITTER_EMAIL: 'dsh@localhost',
};

/** Makes a commit of a tree that serves only to be merged and told apart; answers its id. */
export async function commitTree(
  gitDir: string,
  { treeSha, parent }: { readonly treeSha: string; readonly parent: string },
  signal?: AbortSignal,
): Promise<string> {
  return gitText(['commit-tree', treeSha, '-p', parent, '-m', 'work'], { gitDir, env: NOBODY, signal });
}
