import { readRef } from './refs.ts';
import type { Hub } from '../hub.ts';
import type { Pull, Repository } from '../records.ts';

/** The two ends of a pull request's three-dot diff: the merge base with the base branch as it is now, and the head. */
export async function pullRange(
  hub: Hub,
  repository: Repository,
  pull: Pull,
): Promise<{ from: string; to: string; tip: string }> {
  const git = hub.git(repository);
  const tip = pull.merged ? pull.base.sha : ((await readRef(git, `refs/heads/${pull.base.ref}`)) ?? pull.base.sha);
  const from = (await git.askOnce(['merge-base', tip, pull.head.sha])) ?? tip;
  return { from, to: pull.head.sha, tip };
}
