import type { Payload } from './payload.ts';
import { readText } from './read-text.ts';
import type { CommentRef, Reading, SubjectRef } from './reading.ts';
import { createdAt, markedSession, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads the text of a submitted review. */
export function readReview(p: Payload<'pull_request_review'>, delivery: string, config: TriggerConfig): Reading[] {
  const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
  const place = { kind: 'review', id: p.review.id } as const;
  const comment: CommentRef = { url: p.review.html_url, ...createdAt(p.review), place };
  const action = p.action === 'submitted' ? 'created' : p.action;
  const marked = markedSession(p.pull_request, p.repository.id, config);
  const origin = { delivery, subject, comment, cause: `review-${p.review.id}`, said: p.review, marked };
  return readText({ ...p, action }, origin, config);
}

/** Reads a comment on lines of the diff, with the place it was written at (T10). */
export function readReviewComment(
  p: Payload<'pull_request_review_comment'>,
  delivery: string,
  config: TriggerConfig,
): Reading[] {
  const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
  const cause = `review-comment-${p.comment.id}`;
  const marked = markedSession(p.pull_request, p.repository.id, config);
  if (p.action === 'deleted') {
    const origin = {
      repo: toRepo(p.repository),
      subject,
      actor: toActor(p.sender, 'NONE'),
      cause,
      delivery,
      ...marked,
    };
    return [{ kind: 'end', why: 'comment-deleted', of: cause, commentId: undefined, ...origin }];
  }
  return readText(p, { delivery, subject, comment: placeOf(p.comment), cause, said: p.comment, marked }, config);
}

function placeOf(comment: Payload<'pull_request_review_comment'>['comment']): CommentRef {
  const thread = {
    path: comment.path,
    side: comment.side === 'LEFT' ? ('LEFT' as const) : ('RIGHT' as const),
    startLine: comment.start_line ?? undefined,
    line: comment.line ?? undefined,
    hunk: comment.diff_hunk,
    rootId: comment.in_reply_to_id ?? comment.id,
  };
  return { url: comment.html_url, ...createdAt(comment), place: { kind: 'review-comment', id: comment.id, thread } };
}
