import { branchName } from '../github/branch-name.ts';
import { publishCommit } from '../github/publish-commit.ts';
import { stageChanges } from '../github/tree/stage-changes.ts';
import type { StagedTree } from '../github/tree/stage-changes.ts';
import type { TreeChange } from '../github/tree/types.ts';
import { unifiedDiff } from '../github/tree/unified-diff.ts';
import type { FixOutcome, PullRequestPlan } from '../publish/plan-pull-request.ts';
import { planPullRequest } from '../publish/plan-pull-request.ts';
import { publishPullRequest } from '../publish/publish-pull-request.ts';
import { changedTests } from './changed-tests.ts';
import type { Fix } from './fix-state.ts';
import type { Produced } from './job.ts';
import type { Workplace } from './job-kind.ts';
import { readManifests, readRecentSubjects } from './read-base-files.ts';

export interface FixWork {
  readonly outcome: FixOutcome;
  readonly changes: readonly TreeChange[];
}

/** Publishes where the fix was asked: on an issue as a pull request, on a pull request as a commit or a patch (U4, U5). */
export async function publishFix(workplace: Workplace, fix: Fix, work: FixWork): Promise<Produced> {
  const staged = await stageChanges(workplace.checkout, [...work.changes], workplace.signal);
  const plan = await planOf(workplace, fix, work);
  if (!workplace.subject.pull) return publishAsPull(workplace, fix, { plan, staged, title: work.outcome.title });
  const { sameRepository, open, headRef } = workplace.subject.pull;
  return sameRepository && open
    ? publishOnHead(workplace, fix, { staged, message: plan.commitMessage, branch: headRef })
    : asPatch(workplace, fix, staged);
}

async function planOf(
  { checkout, subject, signal }: Workplace,
  fix: Fix,
  { outcome, changes }: FixWork,
): Promise<PullRequestPlan> {
  const { turn, session, config } = fix.request;
  const base = { gitDir: checkout.gitDir, sha: checkout.baseSha, signal };
  const [recentSubjects, manifests] = await Promise.all([readRecentSubjects(base), readManifests(base)]);
  const tests = fix.redactor.redactAll(changedTests(changes, manifests, config.verify.commands));
  return planPullRequest(outcome, { subject, session, asker: turn.reading.actor, recentSubjects, changedTests: tests });
}

interface PullDraft {
  readonly plan: PullRequestPlan;
  readonly staged: StagedTree;
  readonly title: string;
}

async function publishAsPull(
  { subject, agent, turn, signal }: Workplace,
  fix: Fix,
  { plan, staged, title }: PullDraft,
): Promise<Produced> {
  const { access, config, session } = fix.request;
  const branch = branchName(subject, title, config.branch.prefix);
  const base = config.pull.base ?? subject.repository.defaultBranch;
  const target = { branch, own: fix.own, base, session };
  const pull = await publishPullRequest(access.github, access.repo, { plan, staged, target }, signal);
  const { number, url, commitSha: sha } = pull;
  agent.session.append('publish/done', { turn, what: 'commit', id: sha, url, sha });
  agent.session.append('publish/done', { turn, what: 'pull-request', id: number, url, sha });
  return { kind: 'pull-request', ...pull, draft: plan.draft, title: plan.title };
}

interface CommitDraft {
  readonly staged: StagedTree;
  readonly message: string;
  readonly branch: string;
}

async function publishOnHead(
  { subject, agent, turn, signal }: Workplace,
  fix: Fix,
  { staged, message, branch }: CommitDraft,
): Promise<Produced> {
  const { github, repo } = fix.request.access;
  const { sha } = await publishCommit(github, repo, { staged, message, branch, isOwn: true }, signal);
  const url = `${subject.thread.url}/commits/${sha}`;
  agent.session.append('publish/done', { turn, what: 'commit', id: sha, url, sha });
  return { kind: 'commit', branch, commitSha: sha, url };
}

/** The head branch is another repository's, or the pull request is closed: the change is given to be taken. */
async function asPatch({ checkout, signal }: Workplace, { redactor }: Fix, staged: StagedTree): Promise<Produced> {
  return { kind: 'patch', diff: redactor.redact(await unifiedDiff(checkout.gitDir, staged, signal)) };
}
