import type { HookContext } from '../harness/agent/types.ts';
import type { ContentBlock, MessageSource } from '../harness/llm/types.ts';
import { MAX_BODY_CHARS, MAX_THREAD_CHARS, keepHead } from './data-limits.ts';
import type { Thread, ThreadComment } from '../github/threads.ts';
import { dataBlock } from './data-block.ts';
import type { OutsideText } from './data-block.ts';

const HOST: MessageSource = { kind: 'plugin', plugin: 'bot' };

/**
 * The thread as data blocks before the request (F1, PR12, PR17): the opening, the first and newest comments with the
 * middle counted, linked items in short.
 */
export function threadContexts(thread: Thread, drawId?: () => string): HookContext[] {
  const opening = outside({ ...thread, kind: thread.kind === 'pull' ? 'pull-request' : 'issue' });
  const { head, omitted, tail } = boundComments(thread.comments);
  const block = (text: OutsideText) => dataBlock(text, drawId);
  const comments = (list: readonly ThreadComment[]) => list.map((comment) => block(commentText(comment)));
  const middle = omitted > 0 ? [`[${omitted} comments in the middle of the thread are left out]`] : [];
  const title = `${thread.title} (#${thread.number})`;
  return [block({ ...opening, title }), ...comments(head), ...middle, ...comments(tail), ...linked(thread, block)].map(prefixContext);
}

export function prefixContext(text: string): HookContext {
  return { content: [{ type: 'text', text: `${text}\n` }], source: HOST, placement: 'prompt-prefix' };
}

/** The request itself, always last; its final line, written by the host, steers the language of the answer (PR61). */
export function requestContent(request: string): ContentBlock[] {
  return [{ type: 'text', text: `${request}\n\nWrite what people will read in the language of this request.` }];
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
  return outside({ ...comment, kind: 'review-comment', path, body: `${comment.diffHunk}\n\n${comment.body}` });
}

function linked(thread: Thread, block: (text: OutsideText) => string): string[] {
  if (thread.linked.length === 0) return [];
  const lines = thread.linked.map((item) => `#${item.number} (${item.kind}, ${item.state}): ${item.title}`);
  return [block({ kind: 'issue', title: 'Mentioned in the thread', text: lines.join('\n') })];
}

function boundComments(comments: readonly ThreadComment[]) {
  const total = comments.reduce((sum, comment) => sum + comment.body.length, 0);
  if (total <= MAX_THREAD_CHARS) return { head: comments, omitted: 0, tail: [] };
  const head = takeWithin(comments, MAX_THREAD_CHARS / 4);
  const tail = takeWithin(comments.slice(head.length).reverse(), (MAX_THREAD_CHARS * 3) / 4).reverse();
  return { head, omitted: comments.length - head.length - tail.length, tail };
}

function takeWithin(comments: readonly ThreadComment[], max: number): ThreadComment[] {
  const taken: ThreadComment[] = [];
  let used = 0;
  for (const comment of comments) {
    used += Math.min(comment.body.length, MAX_BODY_CHARS);
    if (used > max) break;
    taken.push(comment);
  }
  return taken;
}
