import type { HookContext } from '../../harness/agent/types.ts';
import type { Thread, ThreadComment } from '../../github/threads.ts';
import type { TurnReading } from '../../triggers/intake.ts';
import { MAX_BODY_CHARS, MAX_THREAD_CHARS, keepHead } from '../context/data-limits.ts';
import { dataContext } from '../context/request-prompt.ts';

const MAX_COMMENTS = 20;

/**
 * What was said earlier in the review thread that a request stands in (T10), where the conversation as a whole is too long
 * to be told whole and may have lost it.
 */
export function reviewThreadContexts(reading: TurnReading, thread: Thread, drawId?: () => string): HookContext[] {
  if (reading.kind !== 'command' || reading.comment?.place.kind !== 'review-comment') return [];
  const length = thread.comments.reduce((sum, { body }) => sum + body.length, 0);
  if (length <= MAX_THREAD_CHARS / 2) return [];
  const { id, thread: at } = reading.comment.place;
  return thread.comments
    .filter((comment) => isIn(comment, at.rootId) && comment.id !== id)
    .slice(-MAX_COMMENTS)
    .map(({ author, body }) => {
      const text = keepHead(body, MAX_BODY_CHARS, 'the rest of this text is on GitHub');
      return dataContext(
        { kind: 'review-comment', author: author.login, association: author.association, text },
        drawId,
      );
    });
}

function isIn(comment: ThreadComment, rootId: number): boolean {
  return comment.place === 'review-comment' && (comment.id === rootId || comment.replyTo === rootId);
}
