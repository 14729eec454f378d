import type { ContentBlock, ToolCallBlock } from '../llm/types.ts';
import type { Session } from '../session/session.ts';
import type { SessionEvent, SessionEventType, TurnEndReasonMap } from '../session/types.ts';
import type { HookContext } from './types.ts';
import './parked.ts';

/** A call of a reply, with the seq of its `tool/call` if that was logged before. */
export interface DueCall {
  readonly block: ToolCallBlock;
  readonly callSeq?: number;
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

/** What the last ended turn waits for, if it was parked. */
export function parkedReason(session: Session): TurnEndReasonMap['parked'] | undefined {
  const reason = lastOf(session, 'turn/end')?.data.reason;
  return reason?.kind === 'parked' ? reason : undefined;
}

/** The contexts the last ended turn could not append. */
export function heldByLastTurn(session: Session): HookContext[] {
  const held: HookContext[] = [];
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const event = session.eventAt(seq);
    if (event?.type === 'context/held') held.unshift(...event.data.contexts);
    if (event?.type === 'turn/start' && event.data.turn !== session.openTurn) break;
  }
  return held;
}

function lastOf<T extends SessionEventType>(session: Session, type: T): SessionEvent<T> | undefined {
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const event = session.eventAt(seq);
    if (event?.type === type) return event as SessionEvent<T>;
  }
  return undefined;
}
