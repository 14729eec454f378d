import { associationOf } from '../association.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import type { Issue, Repository, Review, ReviewComment, Thread } from '../records.ts';
import { accountView } from './account.ts';
import { htmlUrlOf } from './issue.ts';
import { reactionsView } from './reactions.ts';
import { optionalTimestamp, timestamp } from './timestamp.ts';

export function reviewView(hub: Hub, repository: Repository, issue: Issue, review: Review) {
  const pullUrl = `${hub.apiUrl}/repos/${fullNameOf(repository)}/pulls/${issue.number}`;
  const html = `${htmlUrlOf(hub, repository, issue)}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: accountView(hub, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pullUrl,
    author_association: associationOf(repository, review.author),
    _links: { html: { href: html }, pull_request: { href: pullUrl } },
    ...(review.submittedAt ? { submitted_at: optionalTimestamp(review.submittedAt) } : {}),
    commit_id: review.commitId,
  };
}

/** A comment in a review thread. Once outdated it keeps only its original place. */
export function reviewCommentView(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  thread: Thread,
  comment: ReviewComment,
) {
  const base = `${hub.apiUrl}/repos/${fullNameOf(repository)}/pulls`;
  const url = `${base}/comments/${comment.id}`;
  const html = `${htmlUrlOf(hub, repository, issue)}#discussion_r${comment.id}`;
  const now = thread.current;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    diff_hunk: thread.hunk,
    path: thread.path,
    commit_id: issue.pull!.head.sha,
    original_commit_id: thread.commitId,
    user: accountView(hub, comment.author),
    body: comment.body,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    html_url: html,
    pull_request_url: `${base}/${issue.number}`,
    author_association: associationOf(repository, comment.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: `${base}/${issue.number}` } },
    reactions: reactionsView(`${url}/reactions`, comment.reactions),
    subject_type: 'line',
    start_line: now?.startLine ?? null,
    original_start_line: thread.startLine,
    start_side: thread.startSide,
    line: now?.line ?? null,
    original_line: thread.line,
    side: thread.side,
    position: now ? thread.position : null,
    original_position: thread.position,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  };
}
