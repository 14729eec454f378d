import type { FixOutcome, PullRequestPlan } from '../../../publish/pull-request/plan-pull-request.ts';
import { planPullRequest } from '../../../publish/pull-request/plan-pull-request.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { changedTests } from '../verify/changed-tests.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { readManifests, readRecentSubjects } from '../../context/read-base-files.ts';
import { readPullTemplate } from './read-pull-template.ts';

/** Title, body and commit message of the work, in the manner of the base commit (U4). */
export async function planFix(
  { checkout, subject, signal }: Workplace,
  fix: Fix,
  { outcome, changes }: { outcome: FixOutcome; changes: readonly TreeChange[] },
): Promise<PullRequestPlan> {
  const { turn, session, config, access } = fix.request;
  const { github, repo } = access;
  const base = { gitDir: checkout.gitDir, sha: checkout.baseSha, signal, mirror: checkout.mirror };
  const [recentSubjects, manifests, template] = await Promise.all([
    readRecentSubjects(base),
    readManifests(base),
    readPullTemplate(base, { github, owner: repo.owner }),
  ]);
  const tests = fix.redactor.redactAll(changedTests(changes, manifests, config.verify.commands));
  const asker = turn.reading.actor;
  return planPullRequest(outcome, { subject, session, asker, recentSubjects, changedTests: tests, template });
}
