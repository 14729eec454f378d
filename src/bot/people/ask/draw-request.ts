import { findComment, upsertComment } from '../../../github/comments.ts';
import { isGone } from '../../../github/request-hook.ts';
import { requestMarker } from '../../../publish/markers.ts';
import { renderRequest } from '../../../publish/request/request-comment.ts';
import type { HumanRequest } from '../../../store/records.ts';
import type { CommentPlace, PeopleParts } from '../people-parts.ts';
import { viewOf } from '../request-data.ts';
import { jobOf } from './request-job.ts';

/** Makes the request's one comment be there; it is searched by its mark first (N4). Returns its id. */
export async function postRequest(
  request: HumanRequest,
  { github, repo, ownLogin }: CommentPlace,
  { redact }: Pick<PeopleParts, 'redact'>,
  signal?: AbortSignal,
): Promise<number> {
  const { number } = jobOf(request).turn.reading.subject;
  const body = redact(renderRequest(viewOf(request)));
  const draft = { marker: requestMarker(request.id), ownLogin, body };
  return (await upsertComment(github, repo, number, draft, signal)).id;
}

/** A process that was lost may have stored a request and not its comment: it is found, or made now. */
export async function ensurePosted(
  request: HumanRequest,
  place: CommentPlace,
  parts: Pick<PeopleParts, 'redact' | 'requests'>,
): Promise<HumanRequest> {
  if (request.commentId !== undefined) return request;
  const commentId = await postRequest(request, place, parts);
  await parts.requests.commented(request.id, commentId);
  return { ...request, commentId };
}

/**
 * Draws a comment that is there as the request stands now. One that was deleted stays deleted. What GitHub refuses is for
 * the operator: the decision holds without it.
 */
export async function redrawRequest(
  request: HumanRequest,
  place: CommentPlace,
  { redact, log }: Pick<PeopleParts, 'redact' | 'log'>,
  checked: readonly number[] = [],
): Promise<void> {
  const { github, repo } = place;
  const body = redact(renderRequest(viewOf(request, checked)));
  try {
    const comment_id = await commentOf(request, place);
    if (comment_id !== undefined) await github.rest.issues.updateComment({ ...repo, comment_id, body });
  } catch (error) {
    if (!isGone(error)) log(`the comment of ${request.id} could not be drawn again`, error);
  }
}

/** The id of a request's comment: it may be there although the process was lost that was to store which it is. */
export async function commentOf(
  request: HumanRequest,
  { github, repo, ownLogin }: CommentPlace,
  signal?: AbortSignal,
): Promise<number | undefined> {
  if (request.commentId !== undefined) return request.commentId;
  const { number } = jobOf(request).turn.reading.subject;
  const mark = { marker: requestMarker(request.id), ownLogin };
  return (await findComment(github, repo, number, mark, signal))?.id;
}
