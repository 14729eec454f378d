import type { ParkedSettlement, SettleParked } from '../../../harness/agent/parked.ts';
import type { Agent } from '../../../harness/agent/types.ts';
import type { SessionEvent } from '../../../harness/session/types.ts';
import { effectiveApprovalPolicy } from '../../../seams/approval/approval-policy.ts';
import { openApprovals } from '../../../seams/approval/open-approvals.ts';
import type { ApprovalOutcome, ApprovalRequestId } from '../../../seams/approval/types.ts';
import { answerText } from '../../../seams/user-interaction/ask-user-question-tool.ts';
import type { HumanRequest } from '../../../store/records.ts';
import { answerEvent } from '../ask/ask-people.ts';
import { actionDigest } from '../ask/request-digest.ts';
import { toldAnswer, toldReason } from './told-answer.ts';

export interface AnswerFacts {
  readonly policy: 'ask' | 'never';
  /** Why the tree is not the one the request was made on. */
  readonly lostTree: string | undefined;
}

/**
 * The first thing of a turn that an answer opens: who answered and what it means is logged, then what becomes of the call
 * that waited (K2, N5, N6).
 */
export function settleAnswer(
  agent: Agent,
  request: HumanRequest,
  facts: AnswerFacts,
  parked: SettleParked,
): ParkedSettlement | undefined {
  const { session } = agent;
  if (!isLogged(session.events, request)) session.append('human/answer', answerEvent(request, parked.turn));
  if (request.kind === 'question') return questionResult(request);
  const policy = effectiveApprovalPolicy(session.events) ?? facts.policy;
  const decision = decideApproval(request, { ...facts, policy }, parked);
  const id = request.id as ApprovalRequestId;
  const isOpen = openApprovals(session.events).some(({ data }) => data.id === id);
  if (isOpen) session.append('approval/decided', { id, outcome: decision.outcome });
  if (!parked.call) return undefined;
  return decision.refusal === undefined ? { kind: 'run' } : { kind: 'refuse', reason: decision.refusal };
}

/** By a process that was lost before it could decide by it. */
function isLogged(events: readonly SessionEvent[], { id }: HumanRequest): boolean {
  return events.some((event) => event.type === 'human/answer' && event.data.request === id);
}

interface Decision {
  readonly outcome: ApprovalOutcome;
  readonly refusal: string | undefined;
}

/** A yes is for the very call that was shown, on the very tree, under a policy that still lets people decide. Pure. */
export function decideApproval(
  { id, state, answer, tool, digest, callId }: HumanRequest,
  { policy, lostTree }: AnswerFacts,
  { waitingFor, call }: Pick<SettleParked, 'waitingFor' | 'call'>,
): Decision {
  const no = (outcome: ApprovalOutcome, refusal: string): Decision => ({ outcome, refusal });
  if (state === 'rejected')
    return no('rejected', `a person refused this call${because(toldReason({ id, answer }))} — ${GO_ON}`);
  if (state === 'cancelled') return no('cancelled', `the question whether this may run was withdrawn — ${GO_ON}`);
  if (state !== 'allowed') return no('unavailable', `nobody answered in time whether this may run — ${GO_ON}`);
  if (waitingFor.id !== id) return no('unavailable', `the approval is for another request — ${GO_ON}`);
  if (policy === 'never') return no('rejected', `approvals are switched off by now, so this may not run — ${GO_ON}`);
  if (lostTree !== undefined)
    return no('unavailable', `it was approved, but the work tree it was asked for is lost (${lostTree}) — ${GO_ON}`);
  const isSame =
    call?.callId === callId && (!call || (call.name === tool && actionDigest(tool, call.arguments) === digest));
  if (!isSame) return no('unavailable', `what was approved is not what this call would do — ${GO_ON}`);
  return { outcome: 'allowed-once', refusal: undefined };
}

const GO_ON = 'do not repeat it; go on without it';

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

function questionResult(request: HumanRequest): ParkedSettlement {
  const { state } = request;
  if (state === 'answered')
    return { kind: 'result', content: [{ type: 'text', text: answerText(toldAnswer(request)) }] };
  const { code, message } = QUESTION_FAILURES[state === 'cancelled' ? 'cancelled' : 'unavailable'];
  return { kind: 'refuse', reason: message, error: { name: 'UserInteractionError', code } };
}

/** Why a question has no answer, for the model. */
export const QUESTION_FAILURES = {
  cancelled: { code: 'ASK_CANCELLED', message: 'the question was withdrawn unanswered — decide yourself, and say so' },
  unavailable: { code: 'ASK_TIMEOUT', message: 'nobody answered in time — decide yourself, and say so' },
} as const;
