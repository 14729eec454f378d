import type { ContentBlock, TokenUsage } from '../harness/llm/types.ts';
import { displayPromptContent } from '../harness/session/display-prompt-content.ts';
import type { SessionEvent, TurnEndReason } from '../harness/session/types.ts';
import { clipText } from './clip-text.ts';

export interface TranscriptOptions {
  /** A longer tool result or argument text loses its middle. */
  maxChars?: number;
}

/**
 * A session as Markdown that reads well unrendered, too: per turn what was asked, said, run and how it ended. Shows
 * what was said when it was said: later condensed history changes nothing here. Pure.
 */
export function renderTranscript(
  events: readonly SessionEvent[],
  { maxChars = 2_000 }: TranscriptOptions = {},
): string {
  const parts = events.flatMap((event) => renderEvent(event, events, maxChars) ?? []);
  return parts.length === 0 ? 'This session has no events.\n' : `${parts.join('\n\n')}\n`;
}

function renderEvent(event: SessionEvent, events: readonly SessionEvent[], maxChars: number): string | undefined {
  if ('surfaceOp' in event && event.surfaceOp !== 'append') return undefined;
  switch (event.type) {
    case 'turn/start':
      return `## Turn ${event.data.turn} · ${event.data.trigger.kind} · ${new Date(event.time).toISOString()}`;
    case 'user/message':
      return labelled('Request', textOf(displayPromptContent(event.data)));
    case 'steering/message':
      return labelled('Added while it ran', textOf(displayPromptContent(event.data)));
    case 'prompt/blocked':
      return labelled('Blocked request', `${textOf(event.data.content)}\n\nReason: ${event.data.reason}`);
    case 'context/message':
      return labelled('Context', clipText(textOf(event.data.content), maxChars));
    case 'assistant/message':
      return textOf(event.data.content) || undefined;
    case 'tool/call':
      return `**${event.data.name}**\n${fenced(clipText(event.data.arguments, maxChars))}`;
    case 'tool/result':
      return `${event.data.isError ? 'Failed' : 'Result'}:\n${fenced(clipText(textOf(event.data.content), maxChars))}`;
    case 'turn/end':
      return `_${outcome(event.data.reason)}_${tokens(events, event)}`;
    default:
      return undefined;
  }
}

function labelled(label: string, text: string): string {
  return `**${label}:** ${text}`;
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}

/** A fence longer than any run of backticks inside cannot be closed from inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function outcome(reason: TurnEndReason): string {
  if (reason.kind === 'rejected') return `Ended: rejected, ${reason.reason}`;
  if (reason.kind !== 'error') return `Ended: ${reason.kind}`;
  const message = 'failure' in reason ? reason.failure.message : reason.message;
  return `Ended: error in step ${reason.step}, ${message}`;
}

function tokens(events: readonly SessionEvent[], end: SessionEvent<'turn/end'>): string {
  const usages = usagesOfTurn(events, end);
  if (usages.length === 0) return '';
  const sum = (key: keyof TokenUsage) => usages.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  const input = sum('inputTokens') + sum('cacheReadTokens') + sum('cacheWriteTokens');
  return `\\\nTokens: ${input} in (${sum('cacheReadTokens')} from cache), ${sum('outputTokens')} out`;
}

function usagesOfTurn(events: readonly SessionEvent[], end: SessionEvent<'turn/end'>): TokenUsage[] {
  const usages: TokenUsage[] = [];
  for (let at = end.seq; at >= 0 && events[at]?.type !== 'turn/start'; at--) {
    const event = events[at];
    if (event?.type === 'assistant/message' && event.data.usage) usages.push(event.data.usage);
  }
  return usages;
}
