import { findPlace, type Misplaced, type WantedPlace } from '../git/hunks.ts';
import { pullRange } from '../git/pull-range.ts';
import { readDiff } from '../git/read-diff.ts';
import { isAncestor } from '../git/refs.ts';
import { issuesOf, type Hub } from '../hub.ts';
import type { Account, Issue, Pull, Repository, Review, ReviewComment, Side, Thread } from '../records.ts';
import { notFound } from '../refusal.ts';
import { checkText } from '../text-limits.ts';
import { pullSimpleView } from '../views/pull.ts';
import { reviewCommentView } from '../views/review.ts';

export interface NewReviewComment extends WantedPlace {
  path: string;
  body: string;
}

export interface FoundComment {
  issue: Issue;
  pull: Pull;
  thread: Thread;
  comment: ReviewComment;
}

/** Reads a comment's place and text out of a request body. */
export function readNewComment(body: Record<string, unknown>): NewReviewComment {
  const given = (name: string) => (body[name] === null ? undefined : body[name]);
  const place = {
    line: given('line') as number,
    position: given('position') as number,
    startLine: given('start_line') as number,
  };
  const sides = { side: given('side') as Side, startSide: given('start_side') as Side };
  return { path: body.path as string, body: body.body as string, ...place, ...sides };
}

/** A thread at the wished place, or what is wrong with that place. */
export async function newThread(
  hub: Hub,
  repository: Repository,
  pull: Pull,
  commitId: string,
  wish: NewReviewComment,
): Promise<Thread | Misplaced | 'path'> {
  const git = hub.git(repository);
  const { from } = await pullRange(hub, repository, { ...pull, head: { ...pull.head, sha: commitId } });
  const file = (await readDiff(git, from, commitId)).find(({ filename }) => filename === wish.path);
  if (!file) return 'path';
  const place = findPlace(file.patch ?? '', wish);
  if (typeof place === 'string') return place;
  const current = { line: place.line, startLine: place.startLine };
  return {
    nodeId: `PRRT_${hub.nextId()}`,
    path: wish.path,
    ...place,
    commitId,
    current,
    resolvedBy: null,
    comments: [],
  };
}

/** Whether a commit is one of the pull request's own. */
export async function isCommitOf(hub: Hub, repository: Repository, pull: Pull, sha: string): Promise<boolean> {
  const git = hub.git(repository);
  const { from } = await pullRange(hub, repository, pull);
  return sha === pull.head.sha || ((await isAncestor(git, sha, pull.head.sha)) && !(await isAncestor(git, sha, from)));
}

export function addComment(hub: Hub, thread: Thread, review: Review, text: string): ReviewComment {
  const now = hub.now();
  const comment: ReviewComment = {
    id: hub.nextId(),
    body: checkText('PullRequestReviewComment', text),
    author: review.author,
    app: null,
    createdAt: now,
    updatedAt: now,
    editors: [],
    reactions: [],
    reviewId: review.id,
    inReplyTo: thread.comments[0]?.id ?? null,
  };
  thread.comments.push(comment);
  return comment;
}

export function findReviewComment(repository: Repository, id: string | number | undefined): FoundComment {
  for (const issue of issuesOf(repository)) {
    for (const thread of issue.pull?.threads ?? []) {
      const comment = thread.comments.find((candidate) => candidate.id === Number(id));
      if (comment) return { issue, pull: issue.pull!, thread, comment };
    }
  }
  throw notFound();
}

export function emitReviewComment(
  hub: Hub,
  repository: Repository,
  found: FoundComment,
  by: Account,
  action: string,
  extra: object = {},
): void {
  const { issue, pull, thread, comment } = found;
  const views = {
    comment: reviewCommentView(hub, repository, issue, thread, comment),
    pull_request: pullSimpleView(hub, repository, issue, pull),
  };
  hub.webhooks.emit('pull_request_review_comment', repository, by, { action, ...views, ...extra });
}
