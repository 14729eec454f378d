import type { GitHub } from './client.ts';

/** Who edited a comment since it was made, newest first; `isBot` tells apps from people. */
export interface CommentEditor {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

interface Editor {
  readonly login: string;
  readonly __typename: string;
  readonly databaseId?: number;
}
interface Answer {
  readonly node: {
    readonly includesCreatedEdit: boolean;
    readonly userContentEdits: {
      readonly totalCount: number;
      readonly nodes: readonly { readonly editor: Editor | null }[];
    } | null;
  } | null;
}

/** More edits than GitHub tells at once say nothing about who made them. */
const MOST = 100;

const QUERY = `query ($id: ID!) {
  node(id: $id) {
    ... on IssueComment {
      includesCreatedEdit
      userContentEdits(first: ${MOST}) { totalCount nodes { editor { login __typename ... on User { databaseId } } } }
    }
  }
}`;

/**
 * The editors of an issue comment, by its node id. Undefined where GitHub does not tell all of them: an account that is gone,
 * or too many edits.
 */
export async function readCommentEditors(
  github: GitHub,
  id: string,
  signal?: AbortSignal,
): Promise<CommentEditor[] | undefined> {
  const { node }: Answer = await github.graphql(QUERY, { id, request: { signal } });
  const { totalCount = 0, nodes = [] } = node?.userContentEdits ?? {};
  if (!node || totalCount > MOST) return undefined;
  // The first of them, which comes last, is no edit but what was written at the beginning.
  const edits = node.includesCreatedEdit ? nodes.slice(0, -1) : nodes;
  if (edits.some(({ editor }) => editor === null)) return undefined;
  return edits.map(({ editor }) => {
    const { login, databaseId: id = 0, __typename: kind } = editor!;
    return { id, login, isBot: kind !== 'User' };
  });
}
