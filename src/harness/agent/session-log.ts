import type { ContentBlock, ToolCallBlock } from '../llm/types.ts';
import { findLastMessageTurnEnd } from '../session/find-last-message-turn-end.ts';
import type { Session } from '../session/session.ts';
import type { SessionEvent, SessionEventType, TurnEndReasonMap } from '../session/types.ts';
import type { LoggedResult } from './append-result.ts';
import type { HookContext } from './types.ts';
import './parked.ts';

/** A call of a reply that needs a result; `callSeq` and `result` are there if it was started or settled before. */
export interface DueCall {
  readonly block: ToolCallBlock;
  readonly callSeq?: number;
  readonly result?: LoggedResult;
}

export function toolCallsOf(content: readonly ContentBlock[]): ToolCallBlock[] {
  return content.filter((block) => block.type === 'tool-call');
}

/** The calls a parked turn left open, as the model made them. */
export function parkedCallsOf(session: Session): DueCall[] {
  if (session.parkedCalls.length === 0) return [];
  const open = new Map(session.parkedCalls.map((call) => [call.id, call.callSeq]));
  return toolCallsOf(lastOf(session, 'assistant/message')?.data.content ?? [])
    .filter(({ id }) => open.has(id))
    .map((block) => dueCall(block, open.get(block.id)));
}

function dueCall(block: ToolCallBlock, callSeq: number | undefined): DueCall {
  return { block, ...(callSeq !== undefined && { callSeq }) };
}

/** What the session waits for: at a call that is still open, or, without one, with its last message turn. */
export function parkedReason(session: Session): TurnEndReasonMap['parked'] | undefined {
  const atCall = session.parkedCalls.length > 0;
  const end = atCall
    ? lastOf(session, 'turn/end', ({ data }) => data.reason.kind === 'parked')
    : findLastMessageTurnEnd(session.events);
  const reason = end?.data.reason;
  return reason?.kind === 'parked' && (atCall || reason.callId === undefined) ? reason : undefined;
}

export function isParked(session: Session): boolean {
  return session.openTurn === undefined && parkedReason(session) !== undefined;
}

/** The contexts a parked turn could not append. A turn that parked again had taken over those before it. */
export function heldContexts(session: Session): HookContext[] {
  if (session.parkedCalls.length === 0) return [];
  const held = lastOf(session, 'context/held');
  const reply = lastOf(session, 'assistant/message');
  return held && reply && held.seq > reply.seq ? held.data.contexts : [];
}

function lastOf<T extends SessionEventType>(
  session: Session,
  type: T,
  fits: (event: SessionEvent<T>) => boolean = () => true,
): SessionEvent<T> | undefined {
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const event = session.eventAt(seq);
    if (event?.type === type && fits(event as SessionEvent<T>)) return event as SessionEvent<T>;
  }
  return undefined;
}
