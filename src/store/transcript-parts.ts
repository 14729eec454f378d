import type { ContentBlock, TokenUsage } from '../harness/llm/types.ts';
import { displayPromptContent } from '../harness/session/display-prompt-content.ts';
import type { SessionEvent, SessionId, TurnEndReason } from '../harness/session/types.ts';

export interface TranscriptTokens {
  readonly input: number;
  /** Of `input`. */
  readonly cached: number;
  readonly output: number;
}

/** What a transcript shows, whatever it is written in. Times are epoch milliseconds. */
export type TranscriptPart =
  | { readonly kind: 'turn'; readonly turn: number; readonly trigger: string; readonly time: number }
  | { readonly kind: 'request' | 'steering' | 'context' | 'answer'; readonly text: string }
  | { readonly kind: 'blocked'; readonly text: string; readonly reason: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly isError: boolean; readonly text: string }
  | { readonly kind: 'child'; readonly session: SessionId; readonly label: string }
  | { readonly kind: 'end'; readonly outcome: string; readonly tokens: TranscriptTokens | undefined };

/** What was said when it was said: history that was condensed later changes nothing here. Pure. */
export function transcriptParts(events: readonly SessionEvent[]): TranscriptPart[] {
  const naming = namingTurns(events);
  return events.flatMap((event) => (isOf(naming, event) ? [] : (partOf(event, events) ?? [])));
}

/** Turns that only hold a title that came while no turn was open: nothing was said in them. */
function namingTurns(events: readonly SessionEvent[]): ReadonlySet<number> {
  const turns = events.flatMap((event) =>
    event.type === 'turn/start' && (event.data.trigger.kind as string) === 'session-title' ? [event.data.turn] : [],
  );
  return new Set(turns);
}

function isOf(turns: ReadonlySet<number>, event: SessionEvent): boolean {
  return (event.type === 'turn/start' || event.type === 'turn/end') && turns.has(event.data.turn);
}

function partOf(event: SessionEvent, events: readonly SessionEvent[]): TranscriptPart | undefined {
  if ('surfaceOp' in event && event.surfaceOp !== 'append') return undefined;
  switch (event.type) {
    case 'turn/start':
      return { kind: 'turn', turn: event.data.turn, trigger: event.data.trigger.kind, time: event.time };
    case 'user/message':
      return { kind: 'request', text: textOf(displayPromptContent(event.data)) };
    case 'steering/message':
      return { kind: 'steering', text: textOf(displayPromptContent(event.data)) };
    case 'prompt/blocked':
      return { kind: 'blocked', text: textOf(event.data.content), reason: event.data.reason };
    case 'context/message':
      return { kind: 'context', text: textOf(event.data.content) };
    case 'assistant/message':
      return answerOf(textOf(event.data.content));
    case 'tool/call':
      return { kind: 'call', name: event.data.name, arguments: event.data.arguments };
    case 'tool/result':
      return { kind: 'result', isError: event.data.isError, text: textOf(event.data.content) };
    case 'turn/end':
      return { kind: 'end', outcome: outcome(event.data.reason), tokens: tokensOfTurn(events, event) };
    default:
      return childOf(event);
  }
}

function answerOf(text: string): TranscriptPart | undefined {
  return text === '' ? undefined : { kind: 'answer', text };
}

/** A child agent, by the shape of its event: the seam it belongs to need not be mounted. */
function childOf(event: SessionEvent): TranscriptPart | undefined {
  if ((event.type as string) !== 'subagent/started') return undefined;
  const { session, label, provider } = event.data as unknown as {
    session: SessionId;
    label?: string;
    provider: string;
  };
  return { kind: 'child', session, label: label ?? provider };
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}

function outcome(reason: TurnEndReason): string {
  if (reason.kind === 'rejected') return `rejected, ${reason.reason}`;
  if (reason.kind !== 'error') return reason.kind;
  const message = 'failure' in reason ? reason.failure.message : reason.message;
  return `error in step ${reason.step}, ${message}`;
}

function tokensOfTurn(events: readonly SessionEvent[], end: SessionEvent<'turn/end'>): TranscriptTokens | undefined {
  const usages = usagesOfTurn(events, end);
  if (usages.length === 0) return undefined;
  const sum = (key: keyof TokenUsage) => usages.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  const cached = sum('cacheReadTokens');
  return { input: sum('inputTokens') + cached + sum('cacheWriteTokens'), cached, output: sum('outputTokens') };
}

function usagesOfTurn(events: readonly SessionEvent[], end: SessionEvent<'turn/end'>): TokenUsage[] {
  const usages: TokenUsage[] = [];
  for (let at = end.seq; at >= 0 && events[at]?.type !== 'turn/start'; at--) {
    const event = events[at];
    if (event?.type === 'assistant/message' && event.data.usage) usages.push(event.data.usage);
  }
  return usages;
}
