import { readCommentEditors } from '../../../github/comment-editors.ts';
import type { CommentEditor } from '../../../github/comment-editors.ts';
import { statusOf } from '../../../github/request-hook.ts';
import { renderRequest } from '../../../publish/request/request-comment.ts';
import type { HumanRequest } from '../../../store/records.ts';
import { newlyTicked } from '../../../triggers/read-boxes.ts';
import type { PeopleParts } from '../people-parts.ts';
import { viewOf } from '../request-data.ts';
import type { Given } from './judge-answer.ts';
import type { LookingPlace } from './look-at-request.ts';

export type FoundTick =
  | { readonly kind: 'none' }
  /** Boxes are ticked, and GitHub does not tell by whom. */
  | { readonly kind: 'nobodys' }
  | { readonly kind: 'tick'; readonly given: Given };

/**
 * What is ticked in a request's comment, for hosts that no webhook tells who did it: it counts where all who edited the
 * comment since it was drawn are one and the same person. `at` in epoch milliseconds.
 */
export async function findTick(
  request: HumanRequest,
  place: LookingPlace,
  { redact, log }: Pick<PeopleParts, 'redact' | 'log'>,
  { at, signal }: { readonly at: number; readonly signal?: AbortSignal | undefined },
): Promise<FoundTick> {
  const comment = await readComment(request, place, signal);
  if (!comment) return { kind: 'none' };
  const { ticked, checked } = newlyTicked(redact(renderRequest(viewOf(request))), comment.body ?? '');
  if (ticked.length === 0) return { kind: 'none' };
  const editors = await readCommentEditors(place.github, comment.node_id, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    log(`GitHub did not tell who edited the comment of ${request.id}`, error);
  });
  const editor = editors ? soleEditor(editors) : undefined;
  if (!editor) return { kind: 'nobodys' };
  const { id, login } = editor;
  const right = await place.permissionOf(place.repo, login, signal);
  const permission = right.kind === 'known' ? right.permission : right.kind;
  const actor = { id, login };
  const value = { kind: 'boxes', ticked, checked } as const;
  return { kind: 'tick', given: { value, how: 'box', actor, permission, url: undefined, at } };
}

/** The one person who edited it; what an app drew again since is what is looked at from there on. Pure. */
export function soleEditor(editors: readonly CommentEditor[]): CommentEditor | undefined {
  const drawn = editors.findIndex(({ isBot }) => isBot);
  const [last, ...before] = drawn < 0 ? editors : editors.slice(0, drawn);
  return before.every(({ id }) => id === last?.id) ? last : undefined;
}

/** Undefined where there is none, or it was deleted. */
async function readComment({ commentId }: HumanRequest, { github, repo }: LookingPlace, signal?: AbortSignal) {
  if (commentId === undefined) return undefined;
  try {
    return (await github.rest.issues.getComment({ ...repo, comment_id: commentId, request: { signal } })).data;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 410) return undefined;
    throw error;
  }
}
