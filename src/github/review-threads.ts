import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';

export interface ThreadWords {
  readonly id: number;
  readonly login: string;
  readonly body: string;
}

/** A thread of line comments. Logins are as REST has them, with the `[bot]` that GraphQL leaves out. */
export interface ReviewThread {
  readonly id: string;
  readonly isResolved: boolean;
  readonly resolvedBy: string | undefined;
  /** The first hundred. */
  readonly comments: readonly ThreadWords[];
}

const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes {
          id
          isResolved
          resolvedBy { login __typename }
          comments(first: 100) { nodes { databaseId body author { login __typename } } }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

interface Login {
  login: string;
  __typename: string;
}
interface Node {
  id: string;
  isResolved: boolean;
  resolvedBy: Login | null;
  comments: { nodes: { databaseId: number | null; body: string; author: Login | null }[] };
}
interface Answer {
  repository: {
    pullRequest: { reviewThreads: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
  };
}

/** All threads of a pull request. Only GraphQL tells whether one is resolved, and by whom. */
export async function readReviewThreads(
  github: GitHub,
  { owner, repo: name }: RepoRef,
  number: number,
  signal?: AbortSignal,
): Promise<ReviewThread[]> {
  const threads: ReviewThread[] = [];
  for (let after: string | null = null; ;) {
    const variables = { owner, name, number, after, request: { signal } };
    const answer: Answer = await github.graphql(QUERY, variables);
    const { nodes, pageInfo } = answer.repository.pullRequest.reviewThreads;
    threads.push(...nodes.map(toThread));
    if (!pageInfo.hasNextPage) return threads;
    after = pageInfo.endCursor;
  }
}

/** Resolves a thread; one that is resolved already stays so. */
export async function resolveReviewThread(github: GitHub, threadId: string, signal?: AbortSignal): Promise<void> {
  const mutation = `mutation ($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { id isResolved } }
}`;
  await github.graphql(mutation, { threadId, request: { signal } });
}

function toThread({ id, isResolved, resolvedBy, comments }: Node): ReviewThread {
  return {
    id,
    isResolved,
    resolvedBy: resolvedBy ? loginOf(resolvedBy) : undefined,
    comments: comments.nodes.map(({ databaseId, body, author }) => ({
      id: databaseId ?? 0,
      login: author ? loginOf(author) : 'ghost',
      body,
    })),
  };
}

function loginOf({ login, __typename }: Login): string {
  return __typename === 'Bot' && !login.endsWith('[bot]') ? `${login}[bot]` : login;
}
