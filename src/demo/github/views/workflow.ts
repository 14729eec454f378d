import { fullNameOf, type Hub } from '../hub.ts';
import type { Artifact, Repository, WorkflowJob, WorkflowRun } from '../records.ts';
import { accountView } from './account.ts';
import { checkSuiteView, pullsAt } from './check.ts';
import { repositoryView } from './repository.ts';
import { timestamp } from './timestamp.ts';

export function workflowRunView(hub: Hub, repository: Repository, run: WorkflowRun) {
  const base = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const url = `${base}/actions/runs/${run.id}`;
  const created = timestamp(run.createdAt);
  return {
    id: run.id,
    name: run.name,
    node_id: `WFR_${run.id}`,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    display_title: run.name,
    run_number: run.runNumber,
    run_attempt: 1,
    previous_attempt_url: null,
    event: run.event,
    status: 'completed',
    conclusion: run.conclusion,
    workflow_id: run.suite.app.id,
    check_suite_id: run.suite.id,
    check_suite_node_id: `CS_${run.suite.id}`,
    url,
    html_url: `${hub.url}/${fullNameOf(repository)}/actions/runs/${run.id}`,
    pull_requests: pullsAt(hub, repository, run.headSha),
    created_at: created,
    updated_at: created,
    run_started_at: created,
    actor: accountView(hub, run.actor),
    triggering_actor: accountView(hub, run.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${base}/check-suites/${run.suite.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    workflow_url: `${base}/actions/workflows/${run.suite.app.id}`,
    head_commit: checkSuiteView(hub, repository, run.suite).head_commit,
    repository: repositoryView(hub, repository),
    head_repository: repositoryView(hub, repository),
  };
}

export function workflowView(hub: Hub, repository: Repository, { suite, name, path, createdAt }: WorkflowRun) {
  const { id } = suite.app;
  const html = `${hub.url}/${fullNameOf(repository)}`;
  return {
    id,
    node_id: `W_${id}`,
    name,
    path,
    state: 'active',
    created_at: timestamp(createdAt),
    updated_at: timestamp(createdAt),
    url: `${hub.apiUrl}/repos/${fullNameOf(repository)}/actions/workflows/${id}`,
    html_url: `${html}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${html}/workflows/${name}/badge.svg`,
  };
}

export function jobView(hub: Hub, repository: Repository, run: WorkflowRun, job: WorkflowJob) {
  const base = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const time = timestamp(run.createdAt);
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.headBranch,
    run_url: `${base}/actions/runs/${run.id}`,
    run_attempt: 1,
    node_id: `J_${job.id}`,
    head_sha: run.headSha,
    url: `${base}/actions/jobs/${job.id}`,
    html_url: `${hub.url}/${fullNameOf(repository)}/actions/runs/${run.id}/job/${job.id}`,
    status: 'completed',
    conclusion: job.conclusion,
    created_at: time,
    started_at: time,
    completed_at: time,
    name: job.name,
    steps: [],
    check_run_url: `${base}/check-runs/${job.checkRunId}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'runner',
    runner_group_id: 1,
    runner_group_name: 'default',
  };
}

export function artifactView(hub: Hub, repository: Repository, artifact: Artifact) {
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/actions/artifacts/${artifact.id}`;
  const run = repository.workflowRuns.find(({ id }) => id === artifact.runId);
  return {
    id: artifact.id,
    node_id: `AR_${artifact.id}`,
    name: artifact.name,
    size_in_bytes: artifact.zip.length,
    url,
    archive_download_url: `${url}/zip`,
    expired: false,
    created_at: timestamp(artifact.createdAt),
    updated_at: timestamp(artifact.createdAt),
    expires_at: timestamp(expiry(artifact)),
    workflow_run:
      artifact.runId === null
        ? null
        : {
            id: artifact.runId,
            repository_id: repository.id,
            head_repository_id: artifact.headRepositoryId ?? repository.id,
            head_branch: run?.headBranch ?? repository.defaultBranch,
            head_sha: run?.headSha ?? '0'.repeat(40),
          },
  };
}

const expiry = ({ createdAt }: Artifact) => new Date(createdAt.getTime() + 90 * 86_400_000);
