import { REASON_TEXTS } from '../../../publish/request/reason-texts.ts';
import type { Agent } from '../../../harness/agent/types.ts';
import { idOfRequest } from '../../../seams/approval/open-approvals.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../../seams/approval/types.ts';
import type { HumanRequest, RequestState } from '../../../store/records.ts';
import { toldReason } from '../answer/told-answer.ts';
import { ruleFor } from './approval-rules.ts';
import type { Asking } from './ask-people.ts';
import { loggedCall, ruledCall } from './logged-call.ts';
import type { ChannelParts } from '../people-channel.ts';
import { actionDigest } from './request-digest.ts';
import { showCall, touchesOf } from './show-call.ts';

const OUTCOMES: Readonly<Record<RequestState, ApprovalOutcome>> = {
  pending: 'unavailable',
  allowed: 'allowed-once',
  rejected: 'rejected',
  answered: 'unavailable',
  cancelled: 'cancelled',
  unavailable: 'unavailable',
};

/** Asks people whether one action may run, unless a rule says so already. Other agents' requests are delegated. */
export async function approveByPeople(
  request: ApprovalRequest,
  next: () => Promise<ApprovalOutcome>,
  parts: ChannelParts,
): Promise<ApprovalOutcome> {
  const { agent } = request;
  if (parts.agentCtx.agents.get(agent.id) !== agent) return next();
  const id = idOfRequest(request);
  const asking = id && (parts.publicationOf(request) ?? askingOf(request, parts));
  if (!asking) return 'unavailable';
  if ('ruled' in asking) return asking.ruled;
  const signal = request.signal ?? new AbortController().signal;
  const settled = await parts.people.ask(agent, { ...asking, id, callId: request.callId, signal });
  if (settled?.state === 'rejected' && request.callId !== undefined) tellReason(agent, settled);
  return settled ? OUTCOMES[settled.state] : 'unavailable';
}

/** An outcome has no words: a person's reason goes to the model beside the result of the call. */
function tellReason(agent: Agent, settled: HumanRequest): void {
  const reason = toldReason(settled);
  if (reason === undefined) return;
  const who = settled.answer?.actor?.login ?? 'a person';
  const text = `## Said by ${who}, who refused the call of ${settled.tool} and may instruct you:\n\n${reason}`;
  agent.inject([{ type: 'text', text }], { source: { kind: 'plugin', plugin: 'github' } });
}

type CallAsking = Omit<Asking, 'id' | 'callId' | 'signal'> | { readonly ruled: ApprovalOutcome };

/** Undefined where there is no logged call to show, or it cannot be shown whole. */
function askingOf(request: ApprovalRequest, { rules, redact, language }: ChannelParts): CallAsking | undefined {
  const { agent, callId, reason } = request;
  const call = callId && loggedCall(agent, callId);
  if (!call) return undefined;
  const rule = ruleFor(rules, ruledCall(call));
  if (rule === 'allow') return { ruled: 'allowed-once' };
  if (rule === 'deny') return { ruled: 'rejected' };
  const shown = showCall(call.arguments, redact);
  if (!shown) return undefined;
  return {
    tool: call.name,
    digest: actionDigest(call.name, call.arguments),
    data: {
      ...{ kind: 'approval', shown, touches: touchesOf(call.arguments, REASON_TEXTS[language]).map(redact) },
      ...(reason !== undefined && { reason: redact(reason) }),
    },
  };
}
