import type { HookContext } from '../harness/agent/types.ts';
import type { Thread } from '../github/threads.ts';
import type { TurnReading } from '../triggers/decide.ts';
import { MAX_THREAD_CHARS, keepTail } from './data-limits.ts';
import { dataContext } from './request-prompt.ts';

/** What was said before in the review thread a request was written in (R11), right before the request itself. */
export function threadContext(reading: TurnReading, { comments }: Pick<Thread, 'comments'>): HookContext[] {
  if (reading.kind !== 'command' || reading.comment?.place.kind !== 'review-comment') return [];
  const { id, thread } = reading.comment.place;
  const { path, rootId } = thread;
  const said = comments.flatMap((comment) =>
    comment.place === 'review-comment' && comment.id !== id && [comment.id, comment.replyTo].includes(rootId)
      ? [`${comment.author.login}: ${comment.body}`]
      : [],
  );
  if (said.length === 0) return [];
  const title = 'The review thread that the request continues';
  return [dataContext({ kind: 'review-comment', path, title, text: keepTail(said.join('\n\n'), MAX_THREAD_CHARS) })];
}
