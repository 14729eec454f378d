import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export type Reaction = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** What can be reacted to. Reviews have no REST reactions, so they are named by their GraphQL id. */
export type ReactionTarget =
  | { kind: 'issue'; number: number }
  | { kind: 'issue-comment'; id: number }
  | { kind: 'review-comment'; id: number }
  | { kind: 'review'; nodeId: string };

/** Adds our reaction. GitHub answers a second one with the first, so repeating is harmless. */
export async function addReaction(
  github: GitHub,
  repo: RepoRef,
  target: ReactionTarget,
  content: Reaction,
  signal?: AbortSignal,
): Promise<void> {
  if (target.kind === 'review') return await mutate(github, 'addReaction', target.nodeId, content, signal);
  await github.request(`POST ${pathOf(target)}`, {
    ...repo,
    content,
    request: { signal, repeatable: true },
  });
}

/** Takes back what `ownLogin` put there; other people's reactions stay, and none there is no error. */
export async function removeOwnReaction(
  github: GitHub,
  repo: RepoRef,
  target: ReactionTarget,
  content: Reaction,
  ownLogin: string,
  signal?: AbortSignal,
): Promise<void> {
  if (target.kind === 'review') return await mutate(github, 'removeReaction', target.nodeId, content, signal);
  for (const id of await ownReactions(github, repo, target, content, ownLogin, signal)) {
    await github
      .request(`DELETE ${pathOf(target)}/{reaction_id}`, { ...repo, reaction_id: id, request: { signal } })
      .catch((error: unknown) => {
        if (statusOf(error) !== 404) throw error;
      });
  }
}

type RestTarget = Exclude<ReactionTarget, { kind: 'review' }>;

async function ownReactions(
  github: GitHub,
  repo: RepoRef,
  target: RestTarget,
  content: Reaction,
  ownLogin: string,
  signal?: AbortSignal,
): Promise<number[]> {
  const reactions = (await github.paginate(`GET ${pathOf(target)}`, {
    ...repo,
    content,
    per_page: 100,
    request: { signal },
  })) as { id: number; content: string; user: { login: string } | null }[];
  return reactions.filter((one) => one.content === content && one.user?.login === ownLogin).map((one) => one.id);
}

function pathOf(target: RestTarget): string {
  switch (target.kind) {
    case 'issue':
      return `/repos/{owner}/{repo}/issues/${target.number}/reactions`;
    case 'issue-comment':
      return `/repos/{owner}/{repo}/issues/comments/${target.id}/reactions`;
    case 'review-comment':
      return `/repos/{owner}/{repo}/pulls/comments/${target.id}/reactions`;
  }
}

const GRAPHQL_NAMES: Record<Reaction, string> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
};

async function mutate(
  github: GitHub,
  mutation: 'addReaction' | 'removeReaction',
  subjectId: string,
  content: Reaction,
  signal?: AbortSignal,
): Promise<void> {
  const query = `mutation ($subjectId: ID!, $content: ReactionContent!) {
    ${mutation}(input: { subjectId: $subjectId, content: $content }) { clientMutationId }
  }`;
  await github.graphql(query, { subjectId, content: GRAPHQL_NAMES[content], request: { signal } });
}
