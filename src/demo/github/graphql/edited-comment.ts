import { maySee } from '../access.ts';
import { issuesOf, type Hub } from '../hub.ts';
import type { Account, Actor, Comment } from '../records.ts';
import { unknownNode } from './graphql-error.ts';

/** An issue comment by node id, if the caller may know of it. */
export function visibleComment(hub: Hub, actor: Actor, nodeId: unknown): Comment {
  for (const repository of hub.repositories) {
    const comments = issuesOf(repository).flatMap((issue) => issue.comments);
    const found = comments.find(({ id }) => `IC_${id}` === nodeId);
    if (found && maySee(repository, actor)) return found;
  }
  throw unknownNode(nodeId);
}

/** Its edits, newest first; once there is one, what was written first counts among them. */
export function editedNode({ id, author, editors }: Comment) {
  const all = editors.length > 0 ? [...editors.toReversed(), author] : [];
  return {
    ...{ __typename: 'IssueComment', id: `IC_${id}`, includesCreatedEdit: all.length > 0 },
    userContentEdits: ({ first = all.length }: { first?: number }) => ({
      totalCount: all.length,
      nodes: all.slice(0, first).map((editor) => ({ editor: accountNode(editor) })),
    }),
  };
}

/** GraphQL names bots without the `[bot]` REST adds. */
function accountNode({ id, login, type }: Account) {
  return { login: login.replace(/\[bot\]$/, ''), __typename: type, databaseId: id };
}
