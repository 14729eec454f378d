import { hasPermission, isInstalledOn, mayPush, maySee } from '../access.ts';
import { react } from '../changes/reactions.ts';
import { accountOf, type Hub } from '../hub.ts';
import type { Account, Actor, ReactionContent, Repository } from '../records.ts';
import { findReactable } from './find-reactable.ts';
import { findThread, threadNode, type FoundThread } from './nodes.ts';
import { forbidden, GraphqlError, unknownNode } from './graphql-error.ts';

type Input = Record<string, unknown>;

const contents: Record<string, ReactionContent> = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  CONFUSED: 'confused',
  HEART: 'heart',
  HOORAY: 'hooray',
  ROCKET: 'rocket',
  EYES: 'eyes',
};

/** Resolves a review thread or opens it again. */
export function settleThread(hub: Hub, actor: Actor, { threadId }: Input, resolved: boolean) {
  const found = visibleThread(hub, actor, threadId);
  const account = accountOf(actor)!;
  if (!maySettle(found, actor, account)) throw forbidden();
  found.thread.resolvedBy = resolved ? account : null;
  const comments = found.thread.comments.map(({ id, body }) => ({ id, body }));
  hub.webhooks.emit('pull_request_review_thread', found.repository, account, {
    action: resolved ? 'resolved' : 'unresolved',
    thread: { node_id: found.thread.nodeId, comments },
  });
  return { clientMutationId: null, thread: threadNode(found) };
}

/** Adds or takes back the caller's reaction on an issue, comment or review. */
export function changeReaction(hub: Hub, actor: Actor, { subjectId, content }: Input, adds: boolean) {
  const found = findReactable(hub, String(subjectId));
  const wanted = contents[String(content)];
  if (!found || !maySee(found.repository, actor)) throw unknownNode(subjectId);
  if (!wanted)
    throw new GraphqlError(
      'argumentLiteralsIncompatible',
      `Expected "${String(content)}" to be one of: ${Object.keys(contents).join(', ')}`,
    );
  if (!mayReact(found.repository, actor)) throw forbidden();
  const account = accountOf(actor)!;
  if (adds) react(hub, found.subject, account, wanted);
  else
    found.subject.reactions = found.subject.reactions.filter((one) => one.user !== account || one.content !== wanted);
  return { clientMutationId: null, reaction: { content }, subject: { id: subjectId } };
}

/** A thread by node id, if the caller may know of it. */
export function visibleThread(hub: Hub, actor: Actor, id: unknown): FoundThread {
  const found = findThread(hub, String(id));
  if (!found || !maySee(found.repository, actor)) throw unknownNode(id);
  return found;
}

/** Of an app GitHub asks for both: https://github.com/orgs/community/discussions/44650 */
function maySettle({ repository, issue }: FoundThread, actor: Actor, account: Account): boolean {
  if (actor.kind === 'app') {
    const has = (wanted: string) => hasPermission(actor.permissions, wanted);
    return isInstalledOn(repository, actor) && has('pull_requests:write') && has('contents:write');
  }
  return mayPush(repository, account) || issue.author === account;
}

function mayReact(repository: Repository, actor: Actor): boolean {
  return (
    actor.kind === 'person' ||
    (actor.kind === 'app' &&
      isInstalledOn(repository, actor) &&
      hasPermission(actor.permissions, 'issues|pull_requests:write'))
  );
}
