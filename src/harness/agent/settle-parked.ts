import { answerLeftCalls } from './answer-left-calls.ts';
import { appendResult } from './append-result.ts';
import type { ParkedSettlement, ResumeParkedOptions } from './parked.ts';
import { runToolBatch } from './run-tool-batch.ts';
import { heldByLastTurn, parkedCallsOf, parkedReason } from './session-log.ts';
import type { DueCall } from './session-log.ts';
import { snapshotJsonValue } from '../session/json.ts';
import { ABORTED_BEFORE_DISPATCH, refused, WITHDRAWN } from './synthetic-results.ts';
import type { Turn } from './turn.ts';

/**
 * Opens the answering turn: the decision is logged, then every call the parked turn left open gets its result.
 * Returns where the turn goes on: with a step, or, when a publication had asked, with the decision whether to stop.
 */
export async function resumeParkedTurn(turn: Turn, { settle }: ResumeParkedOptions): Promise<'step' | 'decide'> {
  const { session } = turn.loop;
  const { waitingFor, callId } = parkedReason(session)!;
  const calls = parkedCallsOf(session);
  const waiting = calls.find(({ block }) => block.id === callId)?.block;
  const call = waiting && { callId: waiting.id, name: waiting.name, arguments: waiting.arguments };

  const settlement = await settle({ turn: turn.number, waitingFor, signal: turn.signal, ...(call && { call }) });
  const due = calls.map((call) => (call.block.id === callId ? settled(call, settlement) : call));
  await runToolBatch(turn, due, 0);
  return callId === undefined ? 'decide' : 'step';
}

function settled(call: DueCall, settlement: ParkedSettlement = { kind: 'run' }): DueCall {
  switch (settlement.kind) {
    case 'run':
      return call;
    case 'refuse':
      return { ...call, result: refused(settlement.reason) };
    case 'result': {
      const { kind: _kind, isError = false, ...result } = snapshotJsonValue(settlement);
      return { ...call, result: { ...result, isError } };
    }
  }
}

/** A turn that came instead of the answer: the open calls are refused, so that its prompt can be sent. */
export function withdrawParked(turn: Turn): void {
  for (const { block, callSeq } of parkedCallsOf(turn.loop.session)) {
    const at = { step: 0, callId: block.id, callSeq: callSeq ?? startCall(turn, block) };
    appendResult(turn, at, callSeq === undefined ? ABORTED_BEFORE_DISPATCH : WITHDRAWN);
  }
  answerLeftCalls(turn);
}
