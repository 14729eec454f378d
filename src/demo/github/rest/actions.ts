import type { Hub } from '../hub.ts';
import type { Account, App, Artifact, Repository, WorkflowJob, WorkflowRun } from '../records.ts';
import { notFound } from '../refusal.ts';
import { artifactView, jobView, workflowRunView } from '../views/workflow.ts';
import { createCheckRun, suiteFor } from './checks.ts';
import { countedPage } from './paginate.ts';
import { noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

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
  const { name, headSha, headBranch, conclusion } = finished;
  const suite = await suiteFor(hub, repository, ci, headSha);
  const jobs: WorkflowJob[] = [];
  for (const job of finished.jobs ?? [{ name }]) {
    const check = await createCheckRun(hub, repository, ci, headSha, {
      name: job.name,
      conclusion: job.conclusion ?? conclusion,
    });
    jobs.push({
      id: hub.nextId(),
      name: job.name,
      conclusion: job.conclusion ?? conclusion,
      log: job.log ?? '',
      checkRunId: check.id,
    });
  }
  const path = finished.path ?? `.github/workflows/${name}.yml`;
  const runNumber = repository.workflowRuns.length + 1;
  const run = {
    id: hub.nextId(),
    name,
    path,
    event: finished.event ?? 'push',
    headBranch,
    headSha,
    conclusion,
    runNumber,
    suite,
    actor,
    createdAt: hub.now(),
    jobs,
  };
  repository.workflowRuns.push(run);
  const workflow = { id: ci.id, name, path, state: 'active', node_id: `W_${ci.id}` };
  hub.webhooks.emit('workflow_run', repository, actor, {
    action: 'completed',
    workflow_run: workflowRunView(hub, repository, run),
    workflow,
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

const read = { app: 'actions:read' };

export const actionRoutes: Route[] = [
  repositoryRoute('GET /actions/runs', read, (call) => {
    const { branch, head_sha: sha, event } = call.query;
    const runs = call.repository.workflowRuns
      .filter(
        (run) =>
          (!branch || run.headBranch === branch) && (!sha || run.headSha === sha) && (!event || run.event === event),
      )
      .toReversed();
    return countedPage(call, 'workflow_runs', runs, (run) => workflowRunView(call.hub, call.repository, run));
  }),
  repositoryRoute('GET /actions/runs/{run_id}', read, (call) =>
    ok(workflowRunView(call.hub, call.repository, findRun(call))),
  ),
  repositoryRoute('GET /actions/runs/{run_id}/jobs', read, (call) => {
    const run = findRun(call);
    return countedPage(call, 'jobs', run.jobs, (job) => jobView(call.hub, call.repository, run, job));
  }),
  repositoryRoute('GET /actions/jobs/{job_id}', read, (call) => {
    const { run, job } = findJob(call);
    return ok(jobView(call.hub, call.repository, run, job));
  }),
  repositoryRoute('GET /actions/jobs/{job_id}/logs', read, (call) => ({
    status: 302,
    headers: { location: `${call.hub.url}/-/logs/${findJob(call).job.id}` },
  })),
  repositoryRoute('GET /actions/artifacts', read, (call) => {
    const named = call.repository.artifacts
      .filter(({ name }) => !call.query.name || name === call.query.name)
      .toReversed();
    return countedPage(call, 'artifacts', named, (artifact) => artifactView(call.hub, call.repository, artifact));
  }),
  repositoryRoute('GET /actions/runs/{run_id}/artifacts', read, (call) => {
    const own = call.repository.artifacts.filter(
      ({ runId, name }) => runId === findRun(call).id && (!call.query.name || name === call.query.name),
    );
    return countedPage(call, 'artifacts', own, (artifact) => artifactView(call.hub, call.repository, artifact));
  }),
  repositoryRoute('GET /actions/artifacts/{artifact_id}', read, (call) =>
    ok(artifactView(call.hub, call.repository, findArtifact(call))),
  ),
  repositoryRoute('GET /actions/artifacts/{artifact_id}/{archive_format}', read, (call) => {
    return { status: 302, headers: { location: `${call.hub.url}/-/artifacts/${findArtifact(call).id}` } };
  }),
  repositoryRoute('DELETE /actions/artifacts/{artifact_id}', { app: 'actions:write', person: 'write' }, (call) => {
    const gone = findArtifact(call);
    call.repository.artifacts = call.repository.artifacts.filter((artifact) => artifact !== gone);
    return noContent();
  }),
];

/** The storage that downloads are redirected to: it asks for no token, as GitHub's signed links do not. */
export function storedFile(hub: Hub, path: string): Buffer | undefined {
  const [, kind, id] = /^\/-\/(logs|artifacts)\/(\d+)$/.exec(path) ?? [];
  for (const { workflowRuns, artifacts } of hub.repositories) {
    if (kind === 'artifacts') {
      const artifact = artifacts.find((one) => one.id === Number(id));
      if (artifact) return artifact.zip;
    }
    const job = kind === 'logs' && workflowRuns.flatMap(({ jobs }) => jobs).find((one) => one.id === Number(id));
    if (job) return Buffer.from(job.log);
  }
  return undefined;
}

function findRun({ repository, params }: RepositoryCall): WorkflowRun {
  const run = repository.workflowRuns.find(({ id }) => id === Number(params.run_id));
  if (!run) throw notFound();
  return run;
}

function findJob({ repository, params }: RepositoryCall): { run: WorkflowRun; job: WorkflowJob } {
  for (const run of repository.workflowRuns) {
    const job = run.jobs.find(({ id }) => id === Number(params.job_id));
    if (job) return { run, job };
  }
  throw notFound();
}

function findArtifact({ repository, params }: RepositoryCall): Artifact {
  const artifact = repository.artifacts.find(({ id }) => id === Number(params.artifact_id));
  if (!artifact) throw notFound();
  return artifact;
}
