import type { Agent } from '../../harness/agent/types.ts';
import type { Branded } from '../../harness/kernel/branded.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { Scoped } from '../../harness/scope/scope.ts';
import type { ApprovalService } from './approval-service.ts';

/** Pairs a question with its decision in the log; has the form `ap_…`, and is what people name it by. */
export type ApprovalRequestId = Branded<'ApprovalRequestId'>;
export function ApprovalRequestId(value: string): ApprovalRequestId {
  return value as ApprovalRequestId;
}

/** Only `allowed-once` is a grant. `cancelled`: withdrawn unanswered; `unavailable`: nobody could be asked, or nobody answered. */
export type ApprovalOutcome = 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable';
export const APPROVAL_OUTCOMES: readonly ApprovalOutcome[] = ['allowed-once', 'rejected', 'cancelled', 'unavailable'];

/** Under `never` nobody is asked and the answer is no. */
export type ApprovalPolicy = 'ask' | 'never';
export const APPROVAL_POLICIES: readonly ApprovalPolicy[] = ['ask', 'never'];

/**
 * May this exact action run now? It holds no arguments: whoever shows it to a person reads the logged `tool/call` that
 * `callId` names, so that what is shown and what runs cannot differ.
 */
export interface ApprovalRequest {
  /** Whose action it is. */
  readonly agent: Agent;
  readonly toolName: string;
  readonly callId?: CallId;
  /** Why, in the asker's words. */
  readonly reason?: string;
  /** Aborted, the question is withdrawn. */
  readonly signal?: AbortSignal;
}

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    'approval/asked': { id: ApprovalRequestId; toolName: string; callId?: CallId; reason?: string };
    'approval/decided': { id: ApprovalRequestId; outcome: ApprovalOutcome };
    'approval/policy': { policy: ApprovalPolicy };
  }
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    approval: ApprovalService;
  }
  interface Events {
    /** A channel to people. The first listener that returns an outcome owns the decision; `next` delegates. */
    'approval/request'(
      this: Scoped<ApprovalService>,
      request: ApprovalRequest,
      next: () => Promise<ApprovalOutcome>,
    ): ApprovalOutcome | Promise<ApprovalOutcome>;
  }
}
