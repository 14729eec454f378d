import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export interface OwnComment {
  id: number;
  url: string;
  body: string;
}

/** The conversation of an issue or pull request by its number, or one review thread of it by its first comment. */
export type CommentPlace = number | { readonly number: number; readonly rootId: number };

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
  place: CommentPlace,
  { marker, ownLogin }: Pick<CommentDraft, 'marker' | 'ownLogin'>,
  signal?: AbortSignal,
): Promise<OwnComment | undefined> {
  for await (const data of commentPages(github, repo, place, signal)) {
    const found = data.find(({ user, body }) => user?.login === ownLogin && body?.includes(marker));
    if (found) return toOwn(found);
  }
  return undefined;
}

export interface RawComment {
  id: number;
  html_url: string;
  user: { login: string; type?: string } | null;
  body?: string | undefined;
}

/** All comments there that fit, oldest first. */
export async function findComments(
  github: GitHub,
  repo: RepoRef,
  place: CommentPlace,
  fits: (comment: RawComment) => boolean,
  signal?: AbortSignal,
): Promise<RawComment[]> {
  const found: RawComment[] = [];
  for await (const data of commentPages(github, repo, place, signal)) found.push(...data.filter(fits));
  return found;
}

/** Gone already is as good. */
export async function deleteComment(github: GitHub, repo: RepoRef, place: CommentPlace, id: number): Promise<void> {
  const { issues, pulls } = github.rest;
  const comment = { ...repo, comment_id: id };
  await (typeof place === 'number' ? issues.deleteComment(comment) : pulls.deleteReviewComment(comment)).catch(
    (error: unknown) => {
      if (statusOf(error) !== 404) throw error;
    },
  );
}

async function* commentPages(
  github: GitHub,
  repo: RepoRef,
  place: CommentPlace,
  signal?: AbortSignal,
): AsyncGenerator<readonly RawComment[]> {
  const paging = { ...repo, per_page: 100, request: { signal } };
  const pages =
    typeof place === 'number'
      ? github.paginate.iterator(github.rest.issues.listComments, { ...paging, issue_number: place })
      : github.paginate.iterator(github.rest.pulls.listReviewComments, { ...paging, pull_number: place.number });
  for await (const { data } of pages) yield data;
}

/** Makes the comment the marker names be there once, with this body: created, changed, or left as it is. */
export async function upsertComment(
  github: GitHub,
  repo: RepoRef,
  place: CommentPlace,
  draft: CommentDraft,
  signal?: AbortSignal,
): Promise<OwnComment> {
  if (draft.id !== undefined) {
    const updated = await updateComment(github, repo, { place, id: draft.id }, draft.body, signal);
    if (updated) return updated;
  }
  const found = await findComment(github, repo, place, draft, signal);
  return found
    ? await settle(github, repo, { place, found }, draft.body, signal)
    : await createComment(github, repo, place, draft, signal);
}

/** Undefined when somebody deleted it. */
async function updateComment(
  github: GitHub,
  repo: RepoRef,
  { place, id: comment_id }: { place: CommentPlace; id: number },
  body: string,
  signal?: AbortSignal,
): Promise<OwnComment | undefined> {
  try {
    const changed = { ...repo, comment_id, body, request: { signal } };
    const { data } =
      typeof place === 'number'
        ? await github.rest.issues.updateComment(changed)
        : await github.rest.pulls.updateReviewComment(changed);
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
  place: CommentPlace,
  draft: CommentDraft,
  signal?: AbortSignal,
): Promise<OwnComment> {
  const made = { ...repo, body: draft.body, request: { signal } };
  const create = async (): Promise<{ data: RawComment }> =>
    typeof place === 'number'
      ? github.rest.issues.createComment({ ...made, issue_number: place })
      : github.rest.pulls.createReplyForReviewComment({ ...made, pull_number: place.number, comment_id: place.rootId });
  try {
    return toOwn((await create()).data);
  } catch (error) {
    if ((statusOf(error) ?? 0) < 500 || signal?.aborted) throw error;
    const found = await findComment(github, repo, place, draft, signal);
    return found ? await settle(github, repo, { place, found }, draft.body, signal) : toOwn((await create()).data);
  }
}

async function settle(
  github: GitHub,
  repo: RepoRef,
  { place, found }: { place: CommentPlace; found: OwnComment },
  body: string,
  signal?: AbortSignal,
): Promise<OwnComment> {
  if (found.body === body) return found;
  return (await updateComment(github, repo, { place, id: found.id }, body, signal)) ?? found;
}

function toOwn({ id, html_url: url, body }: { id: number; html_url: string; body?: string | null }): OwnComment {
  return { id, url, body: body ?? '' };
}
