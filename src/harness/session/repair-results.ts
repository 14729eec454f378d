import type { PendingCall } from './log-state.ts';
import type { SessionEventMap, ToolErrorFacts } from './types.ts';

/** A `tool/result` written in place of one that was lost. */
export interface RepairResult {
  readonly type: 'tool/result';
  readonly data: SessionEventMap['tool/result'];
  readonly surfaceOp: 'append';
  readonly sourceEventSeqs?: number[];
}
interface Place {
  readonly turn: number;
  readonly step: number;
}

const NOT_STARTED: ToolErrorFacts = { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' };
const OUTCOME_UNKNOWN: ToolErrorFacts = { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' };

export function toolNotStarted(call: PendingCall, place: Place): RepairResult {
  return repair(
    call,
    place,
    NOT_STARTED,
    `${call.name} was not started before the work was interrupted. Call it again if it is still wanted.`,
  );
}

export function outcomeUnknown(call: PendingCall & { callSeq: number }, place: Place): RepairResult {
  const text =
    `The outcome of ${call.name} is unknown: the work was interrupted after the call started (event ${call.callSeq}). ` +
    'Repeat it only if it is read-only or idempotent. Otherwise inspect what it may have changed, or ask; never repeat it blindly.';
  return repair(call, place, OUTCOME_UNKNOWN, text);
}

/** The result a person's durable answer gives to the question that was asked. */
export function answeredQuestion(call: PendingCall, place: Place, text: string): RepairResult {
  return repair(call, place, undefined, text);
}

function repair(
  call: PendingCall,
  { turn, step }: Place,
  error: ToolErrorFacts | undefined,
  text: string,
): RepairResult {
  return {
    type: 'tool/result',
    data: {
      turn,
      step,
      callId: call.id,
      content: [{ type: 'text', text: error ? `Error: ${text}` : text }],
      isError: error !== undefined,
      ...(error && { error }),
    },
    surfaceOp: 'append',
    ...(call.callSeq !== undefined && { sourceEventSeqs: [call.callSeq] }),
  };
}
