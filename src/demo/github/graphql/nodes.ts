import { issuesOf, type Hub } from '../hub.ts';
import type { Issue, Pull, Repository, ReviewComment, Thread } from '../records.ts';

export interface FoundThread {
  repository: Repository;
  issue: Issue;
  thread: Thread;
}

export interface Window {
  first?: number;
  after?: string | null;
}

export function findThread(hub: Hub, nodeId: string): FoundThread | undefined {
  for (const repository of hub.repositories) {
    for (const issue of issuesOf(repository)) {
      const thread = issue.pull?.threads.find((candidate) => candidate.nodeId === nodeId);
      if (thread) return { repository, issue, thread };
    }
  }
  return undefined;
}

export function pullNode(issue: Issue, pull: Pull) {
  return {
    id: `PR_${pull.id}`,
    number: issue.number,
    title: issue.title,
    isDraft: pull.draft,
    headRefOid: pull.head.sha,
    reviewThreads: (window: Window) =>
      connection(
        pull.threads.map((thread) => threadNode({ thread })),
        window,
      ),
  };
}

export function threadNode({ thread }: { thread: Thread }) {
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.nodeId,
    path: thread.path,
    diffSide: thread.side,
    line: thread.current?.line ?? null,
    startLine: thread.current?.startLine ?? null,
    originalLine: thread.line,
    originalStartLine: thread.startLine,
    startDiffSide: thread.startSide,
    isResolved: thread.resolvedBy !== null,
    isOutdated: thread.current === null,
    isCollapsed: thread.resolvedBy !== null,
    resolvedBy: thread.resolvedBy && {
      login: thread.resolvedBy.login.replace(/\[bot\]$/, ''),
      __typename: thread.resolvedBy.type,
    },
    comments: (window: Window) =>
      connection(
        thread.comments.map((comment) => commentNode(comment)),
        window,
      ),
  };
}

/** GraphQL names bots without the `[bot]` REST adds. */
function commentNode(comment: ReviewComment) {
  const author = { login: comment.author.login.replace(/\[bot\]$/, ''), __typename: comment.author.type };
  return {
    id: `PRRC_${comment.id}`,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    body: comment.body,
    author,
  };
}

function connection<T>(all: T[], { first = all.length, after }: Window) {
  const start = after ? Number(after) : 0;
  const nodes = all.slice(start, start + first);
  const end = start + nodes.length;
  const pageInfo = {
    hasNextPage: end < all.length,
    endCursor: nodes.length > 0 ? String(end) : null,
    hasPreviousPage: start > 0,
    startCursor: nodes.length > 0 ? String(start) : null,
  };
  return { nodes, edges: nodes.map((node) => ({ node })), totalCount: all.length, pageInfo };
}
