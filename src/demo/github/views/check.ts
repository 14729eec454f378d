import { fullNameOf, issuesOf, type Hub } from '../hub.ts';
import { identityOf } from '../identity.ts';
import type { CheckRun, CheckSuite, Repository } from '../records.ts';
import { appView } from './account.ts';
import { pullReference } from './pull.ts';
import { repositoryView } from './repository.ts';
import { optionalTimestamp, timestamp } from './timestamp.ts';

export function checkRunView(hub: Hub, repository: Repository, run: CheckRun) {
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/check-runs/${run.id}`;
  const html = `${hub.url}/${fullNameOf(repository)}/runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: `CR_${run.id}`,
    head_sha: run.suite.headSha,
    external_id: run.externalId,
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: timestamp(run.startedAt),
    completed_at: optionalTimestamp(run.completedAt),
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suite.id },
    app: appView(hub, run.suite.app),
    pull_requests: pullsAt(hub, repository, run.suite.headSha),
  };
}

/** A suite takes status and conclusion from its runs. */
export function checkSuiteView(hub: Hub, repository: Repository, suite: CheckSuite) {
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/check-suites/${suite.id}`;
  const runs = repository.checkRuns.filter((run) => run.suite === suite);
  const identity = identityOf(hub, suite.app.bot);
  return {
    id: suite.id,
    node_id: `CS_${suite.id}`,
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...suiteResult(runs),
    url,
    before: null,
    after: suite.headSha,
    pull_requests: pullsAt(hub, repository, suite.headSha),
    app: appView(hub, suite.app),
    created_at: timestamp(suite.createdAt),
    updated_at: timestamp(suite.updatedAt),
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: {
      id: suite.headSha,
      tree_id: suite.headSha,
      message: '',
      timestamp: timestamp(suite.createdAt),
      author: identity,
      committer: identity,
    },
    repository: repositoryView(hub, repository),
  };
}

export function suiteResult(runs: CheckRun[]): { status: string; conclusion: string | null } {
  if (runs.some(({ status }) => status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const worst = ['failure', 'timed_out', 'action_required', 'cancelled', 'success', 'neutral', 'skipped'];
  const conclusions = runs.map(({ conclusion }) => conclusion);
  return {
    status: runs.length > 0 ? 'completed' : 'queued',
    conclusion: worst.find((one) => conclusions.includes(one)) ?? null,
  };
}

export function pullsAt(hub: Hub, repository: Repository, sha: string) {
  return issuesOf(repository)
    .filter(({ state, pull }) => state === 'open' && pull?.head.sha === sha)
    .map((issue) => pullReference(hub, repository, issue, issue.pull!));
}
