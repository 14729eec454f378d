import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

/** A failed job of CI, with the end of what it printed. */
export interface FailedCheck {
  readonly name: string;
  readonly url: string;
  readonly log: string;
}

/** What a text or an event names: a run of GitHub Actions, a check run (there, one of its jobs), or a service's suite of them. */
export interface CheckRef {
  readonly kind: 'run' | 'check' | 'suite';
  readonly id: number;
}

const MAX_CHECKS = 3;
/** A log's end is where it tells what failed. */
const MAX_LOG_CHARS = 16_000;

const REFERENCE =
  /https?:\/\/[^\s/]+\/(?<owner>[\w.-]+)\/(?<repo>[\w.-]+)\/(?:actions\/runs\/(?<run>\d+)(?:\/(?:attempts\/\d+\/)?jobs?\/(?<job>\d+))?|runs\/(?<check>\d+)|pull\/\d+\/checks\?check_run_id=(?<pullCheck>\d+))/g;

/** The checks of one repository that a text links, each once, in order of first mention. Pure. */
export function findCheckRefs(text: string, home: RepoRef): CheckRef[] {
  const found = new Map<string, CheckRef>();
  for (const { groups } of text.matchAll(REFERENCE)) {
    const { owner, repo, run, job, check, pullCheck } = groups!;
    if (`${owner}/${repo}`.toLowerCase() !== `${home.owner}/${home.repo}`.toLowerCase()) continue;
    const one = job ?? check ?? pullCheck;
    const ref: CheckRef = one ? { kind: 'check', id: Number(one) } : { kind: 'run', id: Number(run) };
    found.set(`${ref.kind} ${ref.id}`, ref);
  }
  return [...found.values()];
}

/** The failed jobs that the references name, at most three; what cannot be read, or did not fail, is left out. */
export async function readFailedChecks(
  github: GitHub,
  repo: RepoRef,
  refs: readonly CheckRef[],
  signal?: AbortSignal,
): Promise<FailedCheck[]> {
  const found: Check[] = [];
  for (const ref of refs.slice(0, MAX_CHECKS)) found.push(...(await checksOf(github, repo, ref, signal)));
  const failed = new Map(found.filter(hasFailed).map((check) => [check.id, check]));
  const checks = [...failed.values()].slice(0, MAX_CHECKS);
  return await Promise.all(
    checks.map(async ({ id, name, url, said }) => ({
      ...{ name, url },
      log: (await logOf(github, repo, id, signal)) ?? (said || '[it has no log that can be read]'),
    })),
  );
}

interface Check {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly conclusion: string | null;
  /** What the check itself says of its result. */
  readonly said: string;
}

function hasFailed({ conclusion }: Check): boolean {
  return conclusion === 'failure' || conclusion === 'timed_out';
}

async function checksOf(github: GitHub, repo: RepoRef, { kind, id }: CheckRef, signal?: AbortSignal): Promise<Check[]> {
  const request = { signal };
  try {
    if (kind === 'check') {
      return [toCheck((await github.rest.checks.get({ ...repo, check_run_id: id, request })).data)];
    }
    if (kind === 'suite') {
      const suite = { ...repo, check_suite_id: id, filter: 'latest', per_page: 100, request } as const;
      return (await github.rest.checks.listForSuite(suite)).data.check_runs.map(toCheck);
    }
    const run = { ...repo, run_id: id, filter: 'latest', per_page: 100, request } as const;
    const { jobs } = (await github.rest.actions.listJobsForWorkflowRun(run)).data;
    return jobs.map(({ html_url: url, ...job }) => ({ ...job, url: url ?? '', said: '' }));
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

type CheckRun = Awaited<ReturnType<GitHub['rest']['checks']['get']>>['data'];

function toCheck({ id, name, html_url: url, conclusion, output }: CheckRun): Check {
  const said = [output.title, output.summary, output.text].filter(Boolean).join('\n\n');
  return { id, name, url: url ?? '', conclusion, said: tailOf(said) };
}

/** Undefined for a check of another service, and for a log that is gone. */
async function logOf(github: GitHub, repo: RepoRef, job_id: number, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const { data } = await github.rest.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id, request: { signal } });
    return tailOf(withoutTimes(String(data)));
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Every line of a log begins with the time it was written at. */
function withoutTimes(log: string): string {
  return log.replaceAll(/^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '').replaceAll(/\u001b\[[\d;]*[A-Za-z]/g, '');
}

function tailOf(log: string): string {
  if (log.length <= MAX_LOG_CHARS) return log;
  const tail = log.slice(-MAX_LOG_CHARS);
  return `[… ${log.length - tail.length} characters before this]\n${tail.slice(tail.indexOf('\n') + 1)}`;
}

/** Deleted, expired, or beyond our rights: then the link alone has to do. */
function isUnreadable(error: unknown): boolean {
  return [403, 404, 410].includes(statusOf(error) ?? 0);
}
