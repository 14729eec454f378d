import { publishCommit } from '../../../github/publish-commit.ts';
import type { RepoRef } from '../../../github/repository.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { planFix } from './plan-fix.ts';
import type { StagedWork } from './publish-fix.ts';

/** One commit of the work on a branch, with the message that its pull request would have. */
export async function writeCommit(
  workplace: Workplace,
  fix: Fix,
  { outcome, staged, repo, branch, isOwn }: StagedWork & { repo: RepoRef; branch: string; isOwn: boolean },
): Promise<{ branch: string; sha: string }> {
  const { github } = fix.request.access;
  const { commitMessage } = await planFix(workplace, fix, { outcome, changes: staged.changes });
  return publishCommit(github, repo, { staged, message: commitMessage, branch, isOwn }, workplace.signal);
}

export function logPublished(
  { agent, turn }: Workplace,
  what: 'commit' | 'branch',
  { sha, url }: { sha: string; url: string },
): void {
  agent.session.append('publish/done', { turn, what, id: sha, url, sha });
}
