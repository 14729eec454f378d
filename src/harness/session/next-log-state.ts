import type { ContentBlock, ToolCallBlock } from '../llm/types.ts';
import type { LogState, OpenStep, OpenTurn, PendingCall } from './log-state.ts';
import { SessionLogError } from './session-errors.ts';
import { isSurfaceEligibleType } from './surface-event.ts';
import type { SessionEvent } from './types.ts';

type Event<T extends SessionEvent['type']> = SessionEvent<T>;

/**
 * The log validator: where the log stands after one more event. Pure, so that a veto by someone else changes nothing.
 * Throws `SessionLogError` `NOT_ENCLOSED` if turns, steps and calls do not enclose the event as they must.
 */
export function nextLogState(state: LogState, event: SessionEvent): LogState {
  if (event.type === 'turn/start') return startTurn(state, event);
  const turn = state.open;
  if (!turn) throw refusal(event, 'outside an open turn');
  if (isSurfaceEligibleType(event.type)) return afterSurfaceEvent(state, turn, event);
  switch (event.type) {
    case 'turn/end':
      return endTurn(state, turn, event);
    case 'step/start':
      return startStep(state, turn, event);
    case 'step/end':
      return endStep(state, turn, event);
    case 'prompt/blocked':
      return withPrompt(state, turn, event, 'blocked');
    case 'request/header':
      return withHeader(state, turn, event);
    case 'request/digest':
      return inStep(state, turn, event, ['request'], (step) => step);
    case 'assistant/chunk':
      return inStep(state, turn, event, ['request', 'streaming'], (step) =>
        step.phase === 'streaming' ? step : { ...step, phase: 'streaming' },
      );
    case 'tool/call':
      return startCall(state, turn, event);
    default:
      return state;
  }
}

function startTurn(state: LogState, event: Event<'turn/start'>): LogState {
  if (state.open) throw refusal(event, `turn ${state.turn} is still open`);
  if (event.data.turn !== state.turn + 1) throw refusal(event, `the next turn is ${state.turn + 1}`);
  const trigger: unknown = event.data.trigger?.kind;
  if (typeof trigger !== 'string' || trigger === '') throw refusal(event, 'a turn needs a trigger');
  return { ...state, turn: event.data.turn, open: { trigger, prompt: 'none', step: 0, unanswered: [] } };
}

function endTurn(state: LogState, turn: OpenTurn, event: Event<'turn/end'>): LogState {
  mustNameTurn(state, event, event.data.turn);
  if (turn.openStep) throw refusal(event, `step ${turn.step} is still open`);
  const { reason } = event.data as { reason: { kind: string; callId?: unknown } };
  if (reason.kind !== 'parked') return { turn: state.turn, parked: state.parked };
  const parked = [...state.parked, ...turn.unanswered];
  if (reason.callId !== undefined && !parked.some(({ id }) => id === reason.callId)) {
    throw refusal(event, `parked on call ${String(reason.callId)}, which is not open`);
  }
  return { turn: state.turn, parked };
}

function startStep(state: LogState, turn: OpenTurn, event: Event<'step/start'>): LogState {
  mustNameTurn(state, event, event.data.turn);
  if (turn.openStep) throw refusal(event, `step ${turn.step} is still open`);
  if (turn.prompt === 'blocked') throw refusal(event, 'the prompt of this turn was blocked');
  if (state.parked.length > 0) throw refusal(event, `the parked call ${state.parked[0]!.id} has no result yet`);
  if (event.data.step !== turn.step + 1) throw refusal(event, `the next step is ${turn.step + 1}`);
  const openStep: OpenStep = { phase: 'request', hasHeader: false, pending: [] };
  return { ...state, open: { ...turn, step: event.data.step, openStep, unanswered: [] } };
}

function endStep(state: LogState, turn: OpenTurn, event: Event<'step/end'>): LogState {
  const step = mustNameStep(state, turn, event, event.data);
  const { openStep: _closed, ...rest } = turn;
  return { ...state, open: { ...rest, unanswered: step.pending } };
}

function withPrompt(state: LogState, turn: OpenTurn, event: SessionEvent, prompt: 'accepted' | 'blocked'): LogState {
  if (turn.prompt !== 'none' || turn.step > 0) throw refusal(event, 'a turn takes one prompt, before its first step');
  return { ...state, open: { ...turn, prompt } };
}

function withHeader(state: LogState, turn: OpenTurn, event: SessionEvent): LogState {
  const step = turn.openStep;
  if (step?.phase !== 'request' || step.hasHeader) {
    throw refusal(event, 'a header stands once, between step/start and the first chunk');
  }
  return { ...state, open: { ...turn, openStep: { ...step, hasHeader: true } } };
}

function afterSurfaceEvent(state: LogState, turn: OpenTurn, event: SessionEvent): LogState {
  const isAppend = !('surfaceOp' in event) || event.surfaceOp === 'append';
  if (event.type === 'tool/result' && isAppend) return endCall(state, turn, event);
  if (state.parked.length > 0) throw refusal(event, `the parked call ${state.parked[0]!.id} has no result yet`);
  if (!isAppend) return state;
  if (event.type === 'assistant/message') return answer(state, turn, event);
  const waiting = turn.openStep?.pending[0];
  if (waiting) throw refusal(event, `the call ${waiting.id} has no result yet`);
  if (event.type === 'steering/message') mustNameTurn(state, event, event.data.turn);
  return event.type === 'user/message' ? withPrompt(state, turn, event, 'accepted') : state;
}

function answer(state: LogState, turn: OpenTurn, event: Event<'assistant/message'>): LogState {
  return inStep(state, turn, event, ['request', 'streaming'], (step) => ({
    ...step,
    phase: 'answered',
    pending: event.data.content.filter(isToolCall).map(({ id, name }) => ({ id, name })),
  }));
}

function isToolCall(block: ContentBlock): block is ToolCallBlock {
  return block.type === 'tool-call';
}

function startCall(state: LogState, turn: OpenTurn, event: Event<'tool/call'>): LogState {
  const settles = isSettling(state, turn, event);
  const calls = settles ? state.parked : mustNameStep(state, turn, event, event.data).pending;
  const index = calls.findIndex((call) => call.callSeq === undefined && (settles || call.id === event.data.callId));
  const call = calls[index];
  if (!call || call.id !== event.data.callId) throw refusal(event, `the call ${event.data.callId} is not due`);
  const started = calls.with(index, { ...call, callSeq: event.seq });
  return settles ? { ...state, parked: started } : withPending(state, turn, started);
}

function endCall(state: LogState, turn: OpenTurn, event: Event<'tool/result'>): LogState {
  if (isSettling(state, turn, event)) return settleParked(state, event);
  const { pending } = mustNameStep(state, turn, event, event.data);
  const call = pending.find(({ id }) => id === event.data.callId);
  if (!call) throw refusal(event, `no call ${event.data.callId} waits for a result in this step`);
  if (call.callSeq === undefined && !isNeverStarted(event)) throw refusal(event, `the call ${call.id} was not started`);
  return withPending(state, turn, without(pending, call));
}

/** Results of parked calls come before anything else, in call order, as records of step 0 of the open turn. */
function isSettling(state: LogState, turn: OpenTurn, event: Event<'tool/call'> | Event<'tool/result'>): boolean {
  if (state.parked.length === 0 || turn.openStep || event.data.step !== 0) return false;
  mustNameTurn(state, event, event.data.turn);
  return true;
}

function settleParked(state: LogState, event: Event<'tool/result'>): LogState {
  const call = state.parked[0]!;
  if (call.id !== event.data.callId) throw refusal(event, `the parked call ${call.id} comes first`);
  if (call.callSeq === undefined && !isNeverStarted(event)) throw refusal(event, `the call ${call.id} was not started`);
  if (call.callSeq !== undefined && !event.sourceEventSeqs?.includes(call.callSeq)) {
    throw refusal(event, `the result of a parked call cites its tool/call, ${call.callSeq}`);
  }
  return { ...state, parked: without(state.parked, call) };
}

/** A repair result for a call that never began needs no `tool/call`. */
function isNeverStarted(event: Event<'tool/result'>): boolean {
  return event.data.error?.code === 'TOOL_NOT_STARTED';
}

function without(calls: readonly PendingCall[], call: PendingCall): PendingCall[] {
  return calls.filter((other) => other !== call);
}

function withPending(state: LogState, turn: OpenTurn, pending: readonly PendingCall[]): LogState {
  return { ...state, open: { ...turn, openStep: { ...turn.openStep!, pending } } };
}

function inStep(
  state: LogState,
  turn: OpenTurn,
  event: Event<'request/digest' | 'assistant/chunk' | 'assistant/message'>,
  phases: readonly OpenStep['phase'][],
  change: (step: OpenStep) => OpenStep,
): LogState {
  const step = mustNameStep(state, turn, event, event.data);
  if (!phases.includes(step.phase)) throw refusal(event, `step ${turn.step} is past that`);
  const changed = change(step);
  return changed === step ? state : { ...state, open: { ...turn, openStep: changed } };
}

function mustNameStep(
  state: LogState,
  turn: OpenTurn,
  event: SessionEvent,
  named: { turn: number; step: number },
): OpenStep {
  mustNameTurn(state, event, named.turn);
  if (!turn.openStep) throw refusal(event, 'outside an open step');
  if (named.step !== turn.step) throw refusal(event, `the open step is ${turn.step}, not ${named.step}`);
  return turn.openStep;
}

function mustNameTurn(state: LogState, event: SessionEvent, named: number): void {
  if (named !== state.turn) throw refusal(event, `the open turn is ${state.turn}, not ${named}`);
}

function refusal(event: SessionEvent, why: string): SessionLogError {
  return new SessionLogError(`event ${event.seq} (${event.type}): ${why}`, 'NOT_ENCLOSED');
}
