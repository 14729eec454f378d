import type { ParkedSettlement, ResumeParkedOptions } from './parked.ts';
import { runToolBatch } from './run-tool-batch.ts';
import { parkedCallsOf, parkedReason } from './session-log.ts';
import type { DueCall } from './session-log.ts';
import { HarnessError } from '../llm/errors.ts';
import { snapshotJsonValue } from '../session/json.ts';
import { errorResult } from '../tools/tool-results.ts';
import type { Turn } from './turn.ts';

/**
 * Opens the answering turn: the decision is logged, then every call the parked turn left open gets its result.
 * Returns where the turn goes on: with a step, or, when a publication had asked, with the decision whether to stop.
 */
export async function resumeParkedTurn(turn: Turn, { settle }: ResumeParkedOptions): Promise<'step' | 'decide'> {
  const { session } = turn.loop;
  const parked = parkedReason(session);
  if (!parked) throw new HarnessError(`session ${session.id} is no longer parked`, 'NOT_PARKED');
  const { waitingFor, callId } = parked;
  const calls = parkedCallsOf(session);
  const waiting = calls.find(({ block }) => block.id === callId)?.block;
  const call = waiting && { callId: waiting.id, name: waiting.name, arguments: waiting.arguments };

  const settlement = await settle({ turn: turn.number, waitingFor, signal: turn.signal, ...(call && { call }) });
  const due = calls.map((call) => (call.block.id === callId ? settled(call, settlement) : call));
  await runToolBatch(turn, due, 0);
  return callId === undefined ? 'decide' : 'step';
}

/** Without a decision the call does not run. */
function settled(
  call: DueCall,
  settlement: ParkedSettlement = { kind: 'refuse', reason: 'nothing was decided' },
): DueCall {
  switch (settlement.kind) {
    case 'run':
      return call;
    case 'refuse':
      return { ...call, result: errorResult(settlement.reason, settlement.error) };
    case 'result': {
      const { kind: _kind, isError = false, ...result } = snapshotJsonValue(settlement);
      return { ...call, result: { ...result, isError } };
    }
  }
}

const WITHDRAWN = 'a new message came before this was decided, so the request was withdrawn';

/** A prompt that came instead of the answer: the open calls are refused, so that it can be sent. */
export async function withdrawParked(turn: Turn): Promise<void> {
  const calls = parkedCallsOf(turn.loop.session);
  if (calls.length > 0)
    await runToolBatch(
      turn,
      calls.map((call) => ({ ...call, result: errorResult(WITHDRAWN) })),
      0,
    );
}
