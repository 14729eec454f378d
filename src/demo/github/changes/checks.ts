import { listRefs } from '../git/refs.ts';
import type { Hub } from '../hub.ts';
import type { App, CheckRun, CheckSuite, Repository } from '../records.ts';
import { invalid, unprocessable } from '../refusal.ts';
import { checkRunView, checkSuiteView, suiteResult } from '../views/check.ts';

export interface CheckFields {
  name?: string;
  status?: CheckRun['status'];
  conclusion?: string;
  external_id?: string;
  details_url?: string;
  started_at?: string;
  completed_at?: string;
  output?: { title?: string; summary?: string; text?: string; annotations?: Record<string, unknown>[] };
}

const mostAnnotations = 50;

/** Adds a check run to the app's suite for that commit. */
export async function createCheckRun(
  hub: Hub,
  repository: Repository,
  app: App,
  headSha: string,
  fields: CheckFields,
): Promise<CheckRun> {
  const suite = await suiteFor(hub, repository, app, headSha);
  const run: CheckRun = {
    id: hub.nextId(),
    suite,
    name: fields.name ?? '',
    status: 'queued',
    conclusion: null,
    externalId: '',
    detailsUrl: null,
    startedAt: hub.now(),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
  };
  apply(hub, run, fields);
  repository.checkRuns.push(run);
  emit(hub, repository, run, 'created');
  if (run.status === 'completed') emitCompleted(hub, repository, run);
  return run;
}

export function updateCheckRun(hub: Hub, repository: Repository, run: CheckRun, fields: CheckFields): void {
  const wasCompleted = run.status === 'completed';
  apply(hub, run, fields);
  if (run.status === 'completed' && !wasCompleted) emitCompleted(hub, repository, run);
}

/** The suite of one app on one commit, made when missing. */
export async function suiteFor(hub: Hub, repository: Repository, app: App, headSha: string): Promise<CheckSuite> {
  const known = repository.checkSuites.find((suite) => suite.app === app && suite.headSha === headSha);
  if (known) return known;
  const heads = await listRefs(hub.git(repository), 'refs/heads/');
  const ref = [...heads].findLast(([, { sha }]) => sha === headSha)?.[0];
  const now = hub.now();
  const suite = {
    id: hub.nextId(),
    app,
    headSha,
    headBranch: ref?.slice('refs/heads/'.length) ?? null,
    createdAt: now,
    updatedAt: now,
  };
  repository.checkSuites.push(suite);
  return suite;
}

function apply(hub: Hub, run: CheckRun, fields: CheckFields): void {
  const { output } = fields;
  if ((output?.annotations?.length ?? 0) > mostAnnotations)
    throw unprocessable('Invalid request.\n\nNo more than 50 items are allowed in annotations.');
  for (const part of ['summary', 'text'] as const) {
    if ((output?.[part]?.length ?? 0) > 65_535)
      throw invalid({
        resource: 'CheckRun',
        field: part,
        code: 'custom',
        message: `${part} exceeds a maximum bytesize of 65535`,
      });
  }
  if (fields.name !== undefined) run.name = fields.name;
  if (fields.status) run.status = fields.status;
  if (fields.conclusion) Object.assign(run, { conclusion: fields.conclusion, status: 'completed' });
  if (run.status === 'completed' && !run.conclusion)
    throw invalid({ resource: 'CheckRun', field: 'conclusion', code: 'missing_field' });
  if (run.status === 'completed') run.completedAt ??= fields.completed_at ? new Date(fields.completed_at) : hub.now();
  run.externalId = fields.external_id ?? run.externalId;
  run.detailsUrl = fields.details_url ?? run.detailsUrl;
  if (!output) return;
  run.output = {
    title: output.title ?? run.output.title,
    summary: output.summary ?? run.output.summary,
    text: output.text ?? run.output.text,
  };
  run.annotations.push(...(output.annotations ?? []));
  run.suite.updatedAt = hub.now();
}

function emit(hub: Hub, repository: Repository, run: CheckRun, action: string): void {
  const view = { ...checkRunView(hub, repository, run), check_suite: checkSuiteView(hub, repository, run.suite) };
  hub.webhooks.emit('check_run', repository, run.suite.app.bot, { action, check_run: view });
}

function emitCompleted(hub: Hub, repository: Repository, run: CheckRun): void {
  emit(hub, repository, run, 'completed');
  const runs = repository.checkRuns.filter(({ suite }) => suite === run.suite);
  if (suiteResult(runs).status !== 'completed') return;
  hub.webhooks.emit('check_suite', repository, run.suite.app.bot, {
    action: 'completed',
    check_suite: checkSuiteView(hub, repository, run.suite),
  });
}
