import type { CallId } from '../llm/types.ts';

/** A tool call the model asked for that has no result yet. */
export interface PendingCall {
  readonly id: CallId;
  readonly name: string;
  /** Seq of its `tool/call`; absent while it was not started. */
  readonly callSeq?: number;
}

export interface OpenStep {
  readonly phase: 'request' | 'streaming' | 'answered';
  readonly hasHeader: boolean;
  /** Calls of this step's `assistant/message` that wait for a result, in the model's order. */
  readonly pending: readonly PendingCall[];
}

export interface OpenTurn {
  readonly trigger: string;
  readonly prompt: 'none' | 'accepted' | 'blocked';
  /** Number of the last step started; 0 before the first. */
  readonly step: number;
  readonly openStep?: OpenStep;
  /** Calls the last closed step left without a result. */
  readonly unanswered: readonly PendingCall[];
}

/** Where a log stands: what may be appended next follows from this alone. Immutable. */
export interface LogState {
  /** Number of the last turn started; 0 in an empty log. */
  readonly turn: number;
  readonly open?: OpenTurn;
  /** Calls a parked turn left open; until each has its result the surface takes nothing else. */
  readonly parked: readonly PendingCall[];
}

export const EMPTY_LOG: LogState = Object.freeze({ turn: 0, parked: Object.freeze([]) });
