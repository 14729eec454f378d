import { branchName } from '../../../github/branch-name.ts';
import { fullName } from '../../../github/repository.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Publication, StagedWork } from './publish-fix.ts';
import { logPublished, writeCommit } from './write-commit.ts';

/** Saves the work on a branch of its own, on the commit it was made on; `why` is told to people (U3). */
export async function saveOnBranch(
  workplace: Workplace,
  fix: Fix,
  work: StagedWork,
  why: string,
): Promise<Publication> {
  const { access, config } = fix.request;
  const { subject } = workplace;
  const name = branchName(subject, work.outcome.title, config.branch.prefix);
  const { branch, sha } = await writeCommit(workplace, fix, { ...work, repo: access.repo, branch: name, isOwn: false });
  const url = `${new URL(subject.thread.url).origin}/${fullName(access.repo)}/commit/${sha}`;
  logPublished(workplace, 'branch', { sha, url });
  return { kind: 'done', produced: { kind: 'branch', branch, commitSha: sha, url, why }, notes: [] };
}
