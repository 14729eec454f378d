import type { CommentPlace } from '../../github/comments.ts';
import type { ReadSubject } from '../../triggers/reading.ts';

/** What was written in a review thread is answered there (R11), all else on the issue or pull request. Pure. */
export function commentPlace(reading: ReadSubject): CommentPlace {
  const { number } = reading.subject;
  const place = 'comment' in reading ? reading.comment?.place : undefined;
  return place?.kind === 'review-comment' ? { number, rootId: place.thread.rootId } : number;
}
