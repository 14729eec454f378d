import { createCheckRun, suiteFor } from './checks.ts';
import type { Hub } from '../hub.ts';
import type { Account, App, Artifact, Repository, WorkflowJob, WorkflowRun } from '../records.ts';
import { workflowRunView, workflowView } from '../views/workflow.ts';

export interface FinishedRun {
  name: string;
  headSha: string;
  headBranch: string;
  conclusion: string;
  event?: string;
  path?: string;
  jobs?: { name: string; conclusion?: string; log?: string }[];
}

/** A CI run that ends: its check runs, the suite, then the `workflow_run` event. */
export async function finishWorkflowRun(
  hub: Hub,
  repository: Repository,
  ci: App,
  actor: Account,
  finished: FinishedRun,
): Promise<WorkflowRun> {
  const { name, headSha, headBranch, conclusion, event = 'push', path = `.github/workflows/${name}.yml` } = finished;
  const suite = await suiteFor(hub, repository, ci, headSha);
  const jobs = await finishJobs(hub, repository, ci, finished);
  const numbers = { id: hub.nextId(), runNumber: repository.workflowRuns.length + 1 };
  const run = {
    ...numbers,
    name,
    path,
    event,
    headBranch,
    headSha,
    conclusion,
    suite,
    actor,
    createdAt: hub.now(),
    jobs,
  };
  repository.workflowRuns.push(run);
  hub.webhooks.emit('workflow_run', repository, actor, {
    action: 'completed',
    workflow_run: workflowRunView(hub, repository, run),
    workflow: workflowView(hub, repository, run),
  });
  return run;
}

export function addArtifact(
  hub: Hub,
  repository: Repository,
  name: string,
  zip: Buffer,
  runId: number | null,
): Artifact {
  const artifact = { id: hub.nextId(), name, zip, runId, createdAt: hub.now() };
  repository.artifacts.push(artifact);
  return artifact;
}

async function finishJobs(hub: Hub, repository: Repository, ci: App, finished: FinishedRun): Promise<WorkflowJob[]> {
  const jobs: WorkflowJob[] = [];
  for (const { name, conclusion = finished.conclusion, log = '' } of finished.jobs ?? [{ name: finished.name }]) {
    const check = await createCheckRun(hub, repository, ci, finished.headSha, { name, conclusion });
    // As on GitHub, a job and its check run share their number.
    jobs.push({ id: check.id, name, conclusion, log, checkRunId: check.id });
  }
  return jobs;
}
