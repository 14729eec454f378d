import {
  addComment,
  emitReviewComment,
  findReviewComment,
  isCommitOf,
  newThread,
  type FoundComment,
  type NewReviewComment,
} from './review-comments.ts';
import { submit } from './reviews.ts';
import type { Hub } from '../hub.ts';
import type { Account, Issue, Repository, ReviewComment, Thread } from '../records.ts';
import { invalid } from '../refusal.ts';
import { checkText } from '../text-limits.ts';

/** Comments on one line by itself: GitHub makes a review around it. */
export async function commentOnLine(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  author: Account,
  commitId: string,
  wish: NewReviewComment,
): Promise<FoundComment> {
  const pull = issue.pull!;
  if (!(await isCommitOf(hub, repository, pull, commitId)))
    throw refusal('commit_id', 'commit_id is not part of the pull request');
  const thread = await newThread(hub, repository, pull, commitId, wish);
  if (typeof thread === 'string') throw misplaced(thread);
  pull.threads.push(thread);
  return addAlone(hub, repository, issue, thread, author, wish.body);
}

/** Answers in the thread of a comment. */
export function replyTo(
  hub: Hub,
  repository: Repository,
  commentId: string | number | undefined,
  author: Account,
  body: string,
): FoundComment {
  const { issue, thread } = findReviewComment(repository, commentId);
  return addAlone(hub, repository, issue, thread, author, body);
}

export function editReviewComment(
  hub: Hub,
  repository: Repository,
  id: number,
  by: Account,
  text: unknown,
): FoundComment {
  const found = findReviewComment(repository, id);
  const from = found.comment.body;
  Object.assign(found.comment, { body: checkText('PullRequestReviewComment', text), updatedAt: hub.now() });
  emitReviewComment(hub, repository, found, by, 'edited', { changes: { body: { from } } });
  return found;
}

function addAlone(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  thread: Thread,
  author: Account,
  body: string,
): FoundComment {
  const pull = issue.pull!;
  const text = checkText('PullRequestReviewComment', body);
  const review = {
    id: hub.nextId(),
    author,
    body: '',
    state: 'PENDING' as const,
    commitId: pull.head.sha,
    submittedAt: null,
    reactions: [],
  };
  pull.reviews.push(review);
  const comment: ReviewComment = addComment(hub, thread, review, text);
  submit(hub, repository, issue, review, 'COMMENT');
  return { issue, pull, thread, comment };
}

function misplaced(fault: string) {
  const reasons: Record<string, [string, string]> = {
    path: ['path', 'could not be resolved'],
    line: ['line', 'must be part of the diff'],
    start_line: ['start_line', 'must be part of the diff'],
    other_hunk: ['start_line', 'must be part of the same hunk as the line.'],
    order: ['start_line', 'must precede the end line.'],
  };
  const [field, why] = reasons[fault]!;
  return refusal(`pull_request_review_thread.${field}`, `pull_request_review_thread.${field} ${why}`);
}

const refusal = (field: string, message: string) =>
  invalid({ resource: 'PullRequestReviewComment', code: 'custom', field, message });
