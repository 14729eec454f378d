import type { Artifact, WorkflowJob, WorkflowRun } from '../records.ts';
import { notFound } from '../refusal.ts';
import { countedPage } from './paginate.ts';
import { noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { artifactView, jobView, workflowRunView } from '../views/workflow.ts';

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
