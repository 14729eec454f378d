import type { CallId, ContentBlock } from '../llm/types.ts';
import type { JsonValue, TurnTrigger } from '../session/types.ts';
import type { HookContext } from './types.ts';
import type { ToolErrorInfo } from '../tools/types.ts';
import type { QueuedPrompt } from './inbox.ts';

/** The person's decision a parked turn waits for. */
export interface WaitingFor {
  kind: 'approval' | 'question';
  id: string;
}

/** `callId` names the call that waits, started and without a result; it is absent when a publication asks. */
export interface ParkRequest {
  readonly waitingFor: WaitingFor;
  readonly callId?: CallId;
}

/** Prompts the parked turn left unstarted: they go back to where deliveries are kept. */
export interface ParkReport {
  readonly parked: boolean;
  readonly unstarted: readonly QueuedPrompt[];
}

export interface ParkedCall {
  readonly callId: CallId;
  readonly name: string;
  readonly arguments: string;
}

/** What becomes of the call that waited: it runs now through the whole pipeline, is refused, or gets its result. */
export type ParkedSettlement =
  | { kind: 'run' }
  | { kind: 'refuse'; reason: string; error?: ToolErrorInfo }
  | { kind: 'result'; content: ContentBlock[]; isError?: boolean; meta?: JsonValue };

export interface SettleParked {
  readonly turn: number;
  readonly waitingFor: WaitingFor;
  readonly call?: ParkedCall;
  readonly signal: AbortSignal;
}

export interface ResumeParkedOptions {
  trigger: TurnTrigger;
  /**
   * Called once, just after `turn/start`, to log the decision and to say what it means for the waiting call.
   * When a publication had asked there is no call, and nothing to return.
   */
  settle(parked: SettleParked): Promise<ParkedSettlement | undefined> | ParkedSettlement | undefined;
}

declare module '../session/types.ts' {
  interface TurnEndReasonMap {
    parked: { kind: 'parked'; waitingFor: WaitingFor; callId?: CallId };
  }
  interface SessionEventMap {
    /** Contexts that must wait until the calls of a parked turn have their results. */
    'context/held': { turn: number; contexts: HookContext[] };
  }
}
