import type { ContentBlock } from '../../../harness/llm/types.ts';
import type { SessionEvent, TurnEndReason } from '../../../harness/session/types.ts';
import { surfaceIndex } from '../surface-index.ts';
import type { SearchDocument } from './search-index.ts';

/** What of a log can be found. Throws `SESSION_QUERY_INVALID_SURFACE`. Pure. */
export function searchDocuments(events: readonly SessionEvent[]): SearchDocument[] {
  const { classify } = surfaceIndex(events);
  return events.flatMap((event) => {
    const text = plain(textOfEvent(event));
    const { seq, type, time } = event;
    return text === '' ? [] : [{ seq, type, time, surface: classify(seq), text }];
  });
}

/** Messages, reasoning, calls, results, reasons, todos, errors; neither chunks nor headers nor mere boundaries. */
function textOfEvent(event: SessionEvent): string {
  switch (event.type) {
    case 'user/message':
    case 'steering/message':
    case 'context/message':
    case 'assistant/message':
      return textOf(event.data.content);
    case 'prompt/blocked':
      return `${textOf(event.data.content)}\n${event.data.reason}`;
    case 'tool/call':
      return `${event.data.name}\n${event.data.arguments}`;
    case 'tool/result':
      return `${textOf(event.data.content)}\n${event.data.error?.code ?? ''}`;
    case 'todo/write':
      return event.data.todos.map(({ content }) => content).join('\n');
    case 'turn/end':
      return reasonText(event.data.reason);
    default:
      return '';
  }
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' || block.type === 'reasoning' ? [block.text] : []))
    .join('\n');
}

function reasonText(reason: TurnEndReason): string {
  if (reason.kind === 'rejected') return reason.reason;
  if (reason.kind !== 'error') return '';
  const { code = '', message } = 'failure' in reason ? reason.failure : reason;
  return `${code}\n${message}`;
}

/** Without control characters, which an index uses for marks of its own, and lone surrogates. */
function plain(text: string): string {
  return text
    .replaceAll(/(?![\n\t])\p{Cc}/gu, ' ')
    .toWellFormed()
    .trim();
}
