import { branchNameCandidates, isValidBranchName, slugOf } from '../../../github/branch-name.ts';
import { branchNameInvalid } from '../../../github/errors.ts';
import { git, gitText } from '../../../github/git/git.ts';
import { cleanText } from '../../../publish/markdown/clean-text.ts';
import { clipTitle } from '../../../publish/pull-request/plan-pull-request.ts';
import { titleByHabit } from '../../../publish/pull-request/title-habit.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { LocalWork } from '../../job/local-work.ts';
import type { Publication, StagedWork } from './publish-fix.ts';

const RESULT_REF = 'refs/dsh/result';

/** Leaves the work as one commit on a branch of the checkout that it was asked in; nothing else there is touched. */
export async function publishLocally(
  { checkout, signal }: Workplace,
  { request }: Fix,
  { outcome, staged }: StagedWork,
  { gitDir }: LocalWork,
): Promise<Publication> {
  const parts = [clipTitle(titleByHabit(outcome.title, [])), outcome.summary, outcome.cause];
  const message = cleanText(parts.filter(Boolean).join('\n\n'));
  const args = ['commit-tree', staged.treeSha, '-p', staged.parentSha, '-F', '-'];
  const env = await authorOf(gitDir);
  const commitSha = await gitText(args, { gitDir: checkout.gitDir, env, input: message, signal });
  await git(['update-ref', RESULT_REF, commitSha], { gitDir: checkout.gitDir, signal });
  const branch = await freeBranch(gitDir, `${request.config.branch.prefix}local`, outcome.title);
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc'];
  await git([...fetch, checkout.gitDir, `${RESULT_REF}:refs/heads/${branch}`], { gitDir, signal });
  return { kind: 'done', produced: { kind: 'local-branch', branch, commitSha }, notes: [] };
}

/** As the checkout itself says; else nobody in particular. */
async function authorOf(gitDir: string): Promise<Record<string, string>> {
  const read = async (key: string) =>
    (await git(['config', '--get', key], { gitDir, answers: [0, 1] })).stdout.toString().trim();
  const name = (await read('user.name')) || 'dsh';
  const email = (await read('user.email')) || 'dsh@localhost';
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

async function freeBranch(gitDir: string, stem: string, title: string): Promise<string> {
  const name = [stem, slugOf(title)].filter(Boolean).join('-');
  if (!isValidBranchName(name)) throw branchNameInvalid(name);
  for (const branch of branchNameCandidates(name)) {
    // Git counts those below a folder of that name, too: they leave no room for it.
    if (!(await gitText(['for-each-ref', '--count=1', `refs/heads/${branch}`], { gitDir }))) return branch;
  }
  throw new Error('unreachable: there is always one more name');
}
