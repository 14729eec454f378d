import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';

export interface UnfinishedBranch {
  readonly branch: string;
  readonly headSha: string;
}

/**
 * A branch that we made for a subject and died before its pull request (U6): named for it, with a commit of ours on the
 * commit the work stands on, and never part of a pull request. `stem` is the branch name up to the title's slug.
 */
export async function findUnfinishedBranch(
  github: GitHub,
  repo: RepoRef,
  { stem, ownLogin, parentSha }: { stem: string; ownLogin: string; parentSha: string },
  signal: AbortSignal,
): Promise<UnfinishedBranch | undefined> {
  const request = { signal };
  const refs = await github.paginate(github.rest.git.listMatchingRefs, { ...repo, ref: `heads/${stem}`, request });
  for (const { ref, object } of refs) {
    const branch = ref.slice('refs/heads/'.length);
    if (branch !== stem && !branch.startsWith(`${stem}-`)) continue;
    const { data } = await github.rest.repos.getCommit({ ...repo, ref: object.sha, request });
    const isOurs = data.author?.login === ownLogin && data.parents.some(({ sha }) => sha === parentSha);
    if (isOurs && !(await hadPull(github, repo, branch, signal))) return { branch, headSha: object.sha };
  }
  return undefined;
}

async function hadPull(github: GitHub, repo: RepoRef, branch: string, signal: AbortSignal): Promise<boolean> {
  const head = `${repo.owner}:${branch}`;
  const { data } = await github.rest.pulls.list({ ...repo, state: 'all', head, request: { signal } });
  return data.length > 0;
}
