import { createCheckRun, updateCheckRun, type CheckFields } from '../changes/checks.ts';
import type { App, CheckRun, CheckSuite } from '../records.ts';
import { notFound, Refusal } from '../refusal.ts';
import { commitOf } from './commits.ts';
import { countedPage, page } from './paginate.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { checkRunView, checkSuiteView } from '../views/check.ts';

const read = { app: 'checks:read' };
const write = { app: 'checks:write' };

export const checkRoutes: Route[] = [
  repositoryRoute('POST /check-runs', write, async (call) => {
    const app = callingApp(call);
    const { head_sha: headSha, ...fields } = call.body as unknown as CheckFields & { head_sha: string };
    const { sha } = await commitOf(call, headSha);
    return created(
      checkRunView(call.hub, call.repository, await createCheckRun(call.hub, call.repository, app, sha, fields)),
    );
  }),
  repositoryRoute('GET /check-runs/{check_run_id}', read, (call) =>
    ok(checkRunView(call.hub, call.repository, findRun(call))),
  ),
  repositoryRoute('PATCH /check-runs/{check_run_id}', write, (call) => {
    const run = findRun(call);
    if (run.suite.app !== callingApp(call))
      throw new Refusal(
        403,
        'Invalid app_id `' +
          callingApp(call).id +
          '` - check run can only be modified by the GitHub App that created it.',
      );
    updateCheckRun(call.hub, call.repository, run, call.body);
    return ok(checkRunView(call.hub, call.repository, run));
  }),
  repositoryRoute('GET /check-runs/{check_run_id}/annotations', read, (call) => {
    const run = findRun(call);
    return page(call, run.annotations, (annotation) => annotationView(call, run, annotation));
  }),
  repositoryRoute('GET /commits/{ref}/check-runs', read, async (call) => {
    const { sha } = await commitOf(call, call.params.ref!);
    const { check_name: name, app_id: appId, status } = call.query;
    const runs = call.repository.checkRuns
      .filter(({ suite }) => suite.headSha === sha && (!appId || suite.app.id === Number(appId)))
      .filter((run) => (!name || run.name === name) && (!status || run.status === status))
      .reverse();
    const latest =
      call.query.filter === 'all'
        ? runs
        : runs.filter(
            (run, at) => runs.findIndex((other) => other.name === run.name && other.suite === run.suite) === at,
          );
    return countedPage(call, 'check_runs', latest, (run) => checkRunView(call.hub, call.repository, run));
  }),
  repositoryRoute('GET /commits/{ref}/check-suites', read, async (call) => {
    const { sha } = await commitOf(call, call.params.ref!);
    const suites = call.repository.checkSuites.filter(({ headSha }) => headSha === sha);
    return countedPage(call, 'check_suites', suites, (suite) => checkSuiteView(call.hub, call.repository, suite));
  }),
  repositoryRoute('GET /commits/{ref}/status', { app: 'statuses:read' }, async (call) => {
    const { sha } = await commitOf(call, call.params.ref!);
    const { id, name } = call.repository;
    return ok({
      state: 'pending',
      statuses: [],
      sha,
      total_count: 0,
      repository: { id, name },
      commit_url: '',
      url: '',
    });
  }),
  repositoryRoute('GET /check-suites/{check_suite_id}', read, (call) =>
    ok(checkSuiteView(call.hub, call.repository, findSuite(call))),
  ),
  repositoryRoute('GET /check-suites/{check_suite_id}/check-runs', read, (call) => {
    const suite = findSuite(call);
    const runs = call.repository.checkRuns.filter((run) => run.suite === suite);
    return countedPage(call, 'check_runs', runs, (run) => checkRunView(call.hub, call.repository, run));
  }),
];

function callingApp({ actor }: RepositoryCall): App {
  if (actor.kind !== 'app') throw new Refusal(403, 'You must authenticate via a GitHub App.');
  return actor.app;
}

function findRun({ repository, params }: RepositoryCall): CheckRun {
  const run = repository.checkRuns.find(({ id }) => id === Number(params.check_run_id));
  if (!run) throw notFound();
  return run;
}

function findSuite({ repository, params }: RepositoryCall): CheckSuite {
  const suite = repository.checkSuites.find(({ id }) => id === Number(params.check_suite_id));
  if (!suite) throw notFound();
  return suite;
}

function annotationView({ hub, repository }: RepositoryCall, { suite }: CheckRun, annotation: Record<string, unknown>) {
  const defaults = { start_column: null, end_column: null, title: null, raw_details: null };
  return {
    ...defaults,
    ...annotation,
    blob_href: `${hub.url}/${repository.owner.login}/${repository.name}/blob/${suite.headSha}/${String(annotation.path)}`,
  };
}
