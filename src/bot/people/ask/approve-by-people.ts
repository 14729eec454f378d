import { idOfRequest } from '../../../seams/approval/open-approvals.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../../seams/approval/types.ts';
import type { RequestState } from '../../../store/records.ts';
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
  return settled ? OUTCOMES[settled.state] : 'unavailable';
}

type CallAsking = Omit<Asking, 'id' | 'callId' | 'signal'> | { readonly ruled: ApprovalOutcome };

/** Undefined where there is no logged call to show, or it cannot be shown whole. */
function askingOf(request: ApprovalRequest, { rules, redact }: ChannelParts): CallAsking | undefined {
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
      ...{ kind: 'approval', shown, touches: touchesOf(call.arguments).map(redact) },
      ...(reason !== undefined && { reason: redact(reason) }),
    },
  };
}
