import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export interface OwnComment {
  id: number;
  url: string;
  body: string;
}

export interface CommentDraft {
  /** The hidden text that names this comment; `body` holds it. */
  marker: string;
  body: string;
  /** A marker counts only in what this login wrote: anyone can paste one. */
  ownLogin: string;
  /** Known from an earlier write; saves the search. */
  id?: number;
}

/** The oldest comment of ours with the marker. */
export async function findComment(
  github: GitHub,
  repo: RepoRef,
  number: number,
  { marker, ownLogin }: Pick<CommentDraft, 'marker' | 'ownLogin'>,
  signal?: AbortSignal,
): Promise<OwnComment | undefined> {
  const pages = github.paginate.iterator(github.rest.issues.listComments, {
    ...repo,
    issue_number: number,
    per_page: 100,
    request: { signal },
  });
  for await (const { data } of pages) {
    const found = data.find(({ user, body }) => user?.login === ownLogin && body?.includes(marker));
    if (found) return toOwn(found);
  }
  return undefined;
}

/** Makes the comment the marker names be there once, with this body: created, changed, or left as it is. */
export async function upsertComment(
  github: GitHub,
  repo: RepoRef,
  number: number,
  draft: CommentDraft,
  signal?: AbortSignal,
): Promise<OwnComment> {
  if (draft.id !== undefined) {
    const updated = await updateComment(github, repo, draft.id, draft.body, signal);
    if (updated) return updated;
  }
  const found = await findComment(github, repo, number, draft, signal);
  return found
    ? await settle(github, repo, found, draft.body, signal)
    : await createComment(github, repo, number, draft, signal);
}

/** Undefined when somebody deleted it. */
async function updateComment(
  github: GitHub,
  repo: RepoRef,
  comment_id: number,
  body: string,
  signal?: AbortSignal,
): Promise<OwnComment | undefined> {
  try {
    const { data } = await github.rest.issues.updateComment({ ...repo, comment_id, body, request: { signal } });
    return toOwn(data);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** A create of unknown outcome may have worked: it is looked for before it is tried once more. */
async function createComment(
  github: GitHub,
  repo: RepoRef,
  number: number,
  draft: CommentDraft,
  signal?: AbortSignal,
): Promise<OwnComment> {
  const create = () =>
    github.rest.issues.createComment({ ...repo, issue_number: number, body: draft.body, request: { signal } });
  try {
    return toOwn((await create()).data);
  } catch (error) {
    if ((statusOf(error) ?? 0) < 500 || signal?.aborted) throw error;
    const made = await findComment(github, repo, number, draft, signal);
    return made ? await settle(github, repo, made, draft.body, signal) : toOwn((await create()).data);
  }
}

async function settle(
  github: GitHub,
  repo: RepoRef,
  found: OwnComment,
  body: string,
  signal?: AbortSignal,
): Promise<OwnComment> {
  if (found.body === body) return found;
  return (await updateComment(github, repo, found.id, body, signal)) ?? found;
}

function toOwn({ id, html_url: url, body }: { id: number; html_url: string; body?: string | null }): OwnComment {
  return { id, url, body: body ?? '' };
}
