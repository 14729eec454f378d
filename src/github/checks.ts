import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export type CheckConclusion = 'success' | 'neutral' | 'failure' | 'action_required';

export interface CheckIdentity {
  readonly name: string;
  readonly headSha: string;
  /** Ours, to find it again after a crash. */
  readonly externalId: string;
  /** Of the app's bot: nobody may change another app's check run. */
  readonly ownLogin: string;
}

export interface CheckAnnotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

export interface CheckReport {
  readonly conclusion: CheckConclusion;
  readonly title: string;
  /** Markdown of at most 65,535 characters. */
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
}

export interface OpenCheck {
  readonly id: number;
  readonly url: string;
}

/** GitHub takes no more annotations in one call. */
const ANNOTATIONS_A_CALL = 50;

/**
 * The check run of this name and id on a commit, still open: found, or made. Undefined where the token may not write
 * checks: only apps may, and only with `checks: write`.
 */
export async function openCheck(
  github: GitHub,
  repo: RepoRef,
  identity: CheckIdentity,
  signal?: AbortSignal,
): Promise<OpenCheck | undefined> {
  const { name, headSha: head_sha, externalId: external_id } = identity;
  const made = { ...repo, name, head_sha, external_id, status: 'in_progress' as const, request: { signal } };
  try {
    const found = await findOpenCheck(github, repo, identity, signal);
    return found ?? toOpen((await github.rest.checks.create(made)).data);
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** The check run of this name and id that was begun on a commit and not ended. */
export async function findOpenCheck(
  github: GitHub,
  repo: RepoRef,
  identity: CheckIdentity,
  signal?: AbortSignal,
): Promise<OpenCheck | undefined> {
  const runs = await runsOf(github, repo, identity, signal);
  const found = runs.find(({ status }) => status !== 'completed');
  return found && toOpen(found);
}

/** Whether the check run of this name and id has ended on a commit. */
export async function hasEndedCheck(
  github: GitHub,
  repo: RepoRef,
  identity: CheckIdentity,
  signal?: AbortSignal,
): Promise<boolean> {
  const runs = await runsOf(github, repo, identity, signal);
  return runs.some(({ status }) => status === 'completed');
}

async function runsOf(
  github: GitHub,
  repo: RepoRef,
  { name, headSha, externalId, ownLogin }: CheckIdentity,
  signal?: AbortSignal,
) {
  const listed = { ...repo, ref: headSha, check_name: name, filter: 'all' as const, per_page: 100 };
  const { data } = await github.rest.checks.listForRef({ ...listed, request: { signal } });
  return data.check_runs.filter((run) => run.external_id === externalId && loginOf(run) === ownLogin);
}

/**
 * Whether another app began a check run of this name, of an id that ends so, before ours. One that has ended counts unless
 * its title says that nothing came of it.
 */
export async function isBegunElsewhere(
  github: GitHub,
  repo: RepoRef,
  { name, headSha, ownLogin }: CheckIdentity,
  { id: own, idEnding, fruitless }: { readonly id: number; readonly idEnding: string; readonly fruitless: string[] },
  signal?: AbortSignal,
): Promise<boolean> {
  const listed = { ...repo, ref: headSha, check_name: name, filter: 'all' as const, per_page: 100 };
  const { data } = await github.rest.checks.listForRef({ ...listed, request: { signal } });
  return data.check_runs.some(
    (run) =>
      run.id < own &&
      !(run.status === 'completed' && fruitless.includes(run.output.title ?? '')) &&
      loginOf(run) !== ownLogin &&
      (run.external_id?.endsWith(idEnding) ?? false),
  );
}

function loginOf({ app }: { app: { slug?: string } | null }): string {
  return `${app?.slug ?? ''}[bot]`;
}

/** Ends a check run; what does not fit into one call is sent before the call that concludes. */
export async function concludeCheck(
  github: GitHub,
  repo: RepoRef,
  { id }: Pick<OpenCheck, 'id'>,
  { conclusion, title, summary, annotations }: CheckReport,
  signal?: AbortSignal,
): Promise<void> {
  const update = (page: readonly CheckAnnotation[], more: object) =>
    github.rest.checks.update({
      ...repo,
      check_run_id: id,
      output: { title, summary, annotations: [...page] },
      ...more,
      request: { signal },
    });
  const pages = pagesOf(annotations);
  for (const page of pages.slice(0, -1)) await update(page, {});
  await update(pages.at(-1) ?? [], { status: 'completed', conclusion });
}

/** Whether somebody ended it meanwhile. */
export async function isConcluded(
  github: GitHub,
  repo: RepoRef,
  { id }: Pick<OpenCheck, 'id'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const { data } = await github.rest.checks.get({ ...repo, check_run_id: id, request: { signal } });
  return data.status === 'completed';
}

function pagesOf(annotations: readonly CheckAnnotation[]): CheckAnnotation[][] {
  const count = Math.ceil(annotations.length / ANNOTATIONS_A_CALL);
  return Array.from({ length: count }, (_, at) =>
    annotations.slice(at * ANNOTATIONS_A_CALL, (at + 1) * ANNOTATIONS_A_CALL),
  );
}

function toOpen({ id, html_url: url }: { id: number; html_url: string | null }): OpenCheck {
  return { id, url: url ?? '' };
}

/** No right, or a commit that is none of this repository's. Limits of rate have waited in the client already. */
function isRefused(error: unknown): boolean {
  return [403, 404, 422].includes(statusOf(error) ?? 0);
}
