import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { lastOfType } from '../../harness/session/last-of-type.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { ApprovalService } from './approval-service.ts';
import type { ApprovalPolicy } from './types.ts';

const NEVER =
  'Nobody can be asked for approval in this session. Do not ask for a wider sandbox or for anything that needs a yes.';

const marker = (policy: ApprovalPolicy) => `<!-- dsh-user-approval-policy:${policy} -->`;
const MARKERS = /<!-- dsh-user-approval-policy:(ask|never) -->/g;

/** Tells the model the policy in its prompt, and each change of it beside the next request. */
export function tellPolicy(ctx: Context, approval: ApprovalService): void {
  ctx.systemPrompt.section({
    name: 'approval:policy',
    order: 115,
    text: ({ agent }) => (agent ? policyText(approval.policyOf(agent.session.events)) : ''),
  });
  const told = new WeakMap<Agent, ApprovalPolicy>();
  ctx.on('agent/pre-step', (agent) => {
    const { events } = agent.session;
    const before = told.get(agent) ?? policyToldBy(lastSystemText(events));
    const now = approval.policyOf(events);
    if (before === undefined || before === now) return;
    const text = `The approval policy changed from "${before}" to "${now}"; ${causeOf(events)} changed it.`;
    agent.inject([{ type: 'text', text }], { source: { kind: 'plugin', plugin: 'approval' } });
    told.set(agent, now);
  });
}

function policyText(policy: ApprovalPolicy): string {
  return policy === 'ask' ? marker(policy) : `${NEVER}\n${marker(policy)}`;
}

/** The last marker counts: text before the policy's own section may quote one. */
export function policyToldBy(systemText: string): ApprovalPolicy | undefined {
  return [...systemText.matchAll(MARKERS)].at(-1)?.[1] as ApprovalPolicy | undefined;
}

function lastSystemText(events: readonly SessionEvent[]): string {
  return lastOfType(events, 'request/header')?.data.header.system ?? '';
}

/** Set in the log since the model was last asked: by a person; else the deployment itself is set otherwise now. */
function causeOf(events: readonly SessionEvent[]): string {
  const lastOf = (type: SessionEvent['type']) => lastOfType(events, type)?.seq ?? -1;
  return lastOf('approval/policy') > lastOf('request/header') ? 'the user' : 'the operator';
}
