import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { approveEscalation, ESCALATION_TARGETS, validateEscalationArgs } from './escalation.ts';
import type { EscalationApproval, EscalationApprover } from './escalation.ts';
import type { SandboxExecutionPolicy, SandboxMode } from './types.ts';

/** The model-facing fields of a tool whose backend confines. */
export const ESCALATION_FIELDS = {
  sandbox_permissions: {
    type: 'string',
    enum: [...ESCALATION_TARGETS],
    description: 'A wider sandbox for this call, after a result said that it was denied. A person is asked.',
  },
  justification: {
    type: 'string',
    description: 'Why, for the person who decides; only with the field that asks.',
  },
} as const;

export interface EscalationArgs {
  sandbox_permissions?: string;
  justification?: string;
}

/** `offered` is whether the tool shows the fields; `subject` what a grant covers. */
export interface CallPolicyOptions {
  offered: boolean;
  subject: string;
}

/**
 * A confining backend without a policy service would run calls nobody decided about.
 * @throws HarnessError `SANDBOX_POLICY_MISSING`, at load
 */
export function assertPolicyPresent(ctx: Context, mode: SandboxMode | undefined, toolName: string): void {
  if (mode === undefined || ctx.get('sandboxPolicy')) return;
  throw new HarnessError(
    `${toolName}: its backend confines (${mode}), but no sandbox policy is mounted`,
    'SANDBOX_POLICY_MISSING',
  );
}

/**
 * The policy of one tool call, decided once: the session's, or the wider one a person grants for it.
 * @returns `undefined` where nothing confines
 * @throws HarnessError `INVALID_ARGS` or `SANDBOX_ESCALATION_…`; nothing has run then
 */
export async function callPolicy(
  ctx: Context,
  exec: ToolExecution,
  args: EscalationArgs,
  { offered, subject }: CallPolicyOptions,
): Promise<SandboxExecutionPolicy | undefined> {
  if (!offered) refuseFields(args);
  validateEscalationArgs(args.sandbox_permissions, args.justification);
  const policy = ctx.get('sandboxPolicy')?.resolve({ ...(exec.agent && { session: exec.agent.session }) });
  const { sandbox_permissions: requestedMode, justification } = args;
  if (!policy || requestedMode === undefined) return policy;

  const request = { requestedMode, justification: justification ?? '', effectiveMode: policy.mode, subject };
  return { ...policy, mode: await approveEscalation(request, approvalFor(ctx, exec)) };
}

/** Whether asking for a wider call than `exec` can lead anywhere: an offer holds for all agents, but not every session may ask. */
export function mayEscalate(ctx: Context, { agent }: ToolExecution, offered: boolean): boolean {
  const approval = ctx.get('approval') as { policyOf?(events: readonly SessionEvent[]): string } | undefined;
  return offered && approval?.policyOf?.(agent?.session.events ?? []) !== 'never';
}

/** Who is asked about a wider call of `exec`. */
export function approvalFor(ctx: Context, exec: ToolExecution): EscalationApproval<Agent, CallId> {
  const { agent, callId, name, signal } = exec;
  const approver = ctx.get('approval') as EscalationApprover<Agent, CallId> | undefined;
  return { approver, agent, callId, toolName: name, signal };
}

function refuseFields(args: EscalationArgs): void {
  const field = (['sandbox_permissions', 'justification'] as const).find((name) => args[name] !== undefined);
  if (!field) return;
  throw new HarnessError(`${field} is not available here: no wider sandbox can be had — leave it out`, 'INVALID_ARGS');
}
