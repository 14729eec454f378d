import type { HookContext } from '../../harness/agent/types.ts';
import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import type { Thread, ThreadComment } from '../../github/threads.ts';
import type { Turn } from '../../publish/progress/surface.ts';
import type { TurnReading } from '../../triggers/intake.ts';
import { dataBlock } from './data-block.ts';
import type { OutsideText } from './data-block.ts';
import { MAX_BODY_CHARS, MAX_HUNK_CHARS, MAX_THREAD_CHARS, keepHead, keepTail } from './data-limits.ts';

/** Who speaks where the host does. */
export const HOST: MessageSource = { kind: 'plugin', plugin: 'bot' };

/**
 * The thread as data blocks before the request (F1, PR12, PR17): the opening, the first and newest comments with the
 * middle counted, linked items in short.
 */
export function threadContexts(thread: Thread, drawId?: () => string): HookContext[] {
  const opening = outside({ ...thread, kind: thread.kind === 'pull' ? 'pull-request' : 'issue' });
  const { head, omitted, tail } = boundComments(thread.comments.map(commentText));
  const data = (text: OutsideText) => dataContext(text, drawId);
  return [
    data({ ...opening, title: `${thread.title} (#${thread.number})` }),
    ...head.map(data),
    ...(omitted > 0 ? [hostContext(`[${omitted} comments in the middle of the thread are left out]`)] : []),
    ...tail.map(data),
    ...linked(thread).map(data),
  ];
}

/** The lines a request was written at, where it stands in a review thread (T10). */
export function placeContexts(reading: TurnReading, drawId?: () => string): HookContext[] {
  if (reading.kind !== 'command' || reading.comment?.place.kind !== 'review-comment') return [];
  const { path, side, startLine, line, hunk } = reading.comment.place.thread;
  const lines =
    line === undefined ? '' : `:${startLine === undefined || startLine === line ? line : `${startLine}-${line}`}`;
  const block = {
    kind: 'diff',
    path: `${path}${lines} ${side}`,
    title: 'The request was written at the end of these lines',
    text: keepTail(hunk, MAX_HUNK_CHARS),
  } as const;
  return [dataContext(block, drawId)];
}

/** What was taken out of a text is counted beside it, for whoever reads the log. */
export function dataContext(outside: OutsideText, drawId?: () => string): HookContext {
  const { text, removed } = dataBlock(outside, drawId);
  const hasRemoved = Object.values(removed).some((count) => count > 0);
  return { ...hostContext(text), ...(hasRemoved && { meta: { removed: { ...removed } } }) };
}

/** A fact that the host tells before the request. */
export function hostContext(text: string): HookContext {
  return { content: [{ type: 'text', text: `${text}\n` }], source: HOST, placement: 'prompt-prefix' };
}

/**
 * The request itself, always last; its final line, written by the host, steers the language of the answer (PR61): that of a
 * person's own words, else that of what the job is about.
 */
export function requestContent({ request, reading }: Pick<Turn, 'request' | 'reading'>): ContentBlock[] {
  const subject = reading.subject.kind === 'pull' ? 'the pull request' : 'the issue';
  const whose = isOwnWords(request, reading) ? 'this request' : subject;
  return [{ type: 'text', text: `${request}\n\nWrite what people will read in the language of ${whose}.` }];
}

/** Not what the host makes of an event, or of a command without words. */
function isOwnWords(request: string, reading: TurnReading): boolean {
  return reading.kind === 'custom' || (reading.kind === 'command' && reading.command.text.includes(request));
}

interface Said {
  readonly kind: OutsideText['kind'];
  readonly author: { readonly login: string; readonly association: string };
  readonly body: string;
  readonly path?: string;
}

function outside({ kind, author, body, path }: Said): OutsideText {
  const text = keepHead(body, MAX_BODY_CHARS, 'the rest of this text is on GitHub');
  return { kind, author: author.login, association: author.association, path, text };
}

function commentText(comment: ThreadComment): OutsideText {
  if (comment.place !== 'review-comment') return outside({ ...comment, kind: 'comment' });
  const path = comment.line === undefined ? comment.path : `${comment.path}:${comment.line}`;
  const hunk = keepTail(comment.diffHunk, MAX_HUNK_CHARS);
  return outside({ ...comment, kind: 'review-comment', path, body: `${hunk}\n\n${comment.body}` });
}

function linked(thread: Thread): OutsideText[] {
  if (thread.linked.length === 0) return [];
  const lines = thread.linked.map((item) => `#${item.number} (${item.kind}, ${item.state}): ${item.title}`);
  return [{ kind: 'issue', title: 'Mentioned in the thread', text: lines.join('\n') }];
}

function boundComments(comments: readonly OutsideText[]) {
  if (sizeOf(comments) <= MAX_THREAD_CHARS) return { head: comments, omitted: 0, tail: [] };
  const head = takeWithin(comments, MAX_THREAD_CHARS / 4);
  const rest = comments.slice(head.length).reverse();
  const tail = takeWithin(rest, MAX_THREAD_CHARS - sizeOf(head)).reverse();
  return { head, omitted: rest.length - tail.length, tail };
}

/** At least one: the first and the newest word are never left out. */
function takeWithin(comments: readonly OutsideText[], max: number): OutsideText[] {
  const fitting = comments.findIndex((_, i) => sizeOf(comments.slice(0, i + 1)) > max);
  return comments.slice(0, fitting < 0 ? comments.length : Math.max(1, fitting));
}

function sizeOf(comments: readonly OutsideText[]): number {
  return comments.reduce((sum, { text }) => sum + text.length, 0);
}
