import { HarnessError } from '../../harness/llm/errors.ts';
import type { SandboxMode } from './types.ts';

export const WIDER_MODES: Readonly<Record<string, readonly SandboxMode[]>> = Object.freeze({
  'read-only': ['workspace-write', 'danger-full-access'],
  'workspace-write': ['danger-full-access'],
});
/** What the model may ask for; a closed list, because a session can be narrower than the deployment. */
export const ESCALATION_TARGETS = ['workspace-write', 'danger-full-access'] as const;

export type EscalationOutcome = 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable';

/** Answers one question about one call. The approval service fits. */
export interface EscalationApprover<A, C> {
  request(request: {
    agent: A;
    toolName: string;
    callId: C;
    reason: string;
    signal?: AbortSignal;
  }): Promise<EscalationOutcome>;
}
/** Who is asked, for which call. */
export interface EscalationApproval<A, C> {
  approver: EscalationApprover<A, C> | undefined;
  agent: A | undefined;
  callId: C;
  toolName: string;
  signal?: AbortSignal;
}
/** `subject` is what one grant covers: a "command" or an "operation". */
export interface EscalationRequest {
  requestedMode: string;
  justification: string;
  effectiveMode: SandboxMode;
  subject: string;
}

/** @throws HarnessError `INVALID_ARGS` unless both fields are there, or neither */
export function validateEscalationArgs(sandboxPermissions?: string, justification?: string): void {
  if (sandboxPermissions === undefined && justification === undefined) return;
  if (sandboxPermissions === undefined) {
    throw invalid('justification was given without sandbox_permissions — name the mode you need, or leave both out');
  }
  if (justification === undefined) {
    throw invalid('sandbox_permissions was given without justification — say why this call needs it');
  }
  if (justification.trim() === '') throw invalid('justification is blank — say why this call needs a wider sandbox');
}

/**
 * Asks for a wider mode for exactly one call, before anything has run.
 * @returns the granted mode
 * @throws HarnessError `SANDBOX_ESCALATION_…`, one code and text for each reason
 */
export async function approveEscalation<A, C>(
  request: EscalationRequest,
  approval: EscalationApproval<A, C>,
): Promise<SandboxMode> {
  const mode = widerMode(request);
  await askApproval(
    approval,
    `escalate sandbox to ${mode}: ${request.justification}`,
    `running this ${request.subject} under ${mode}`,
  );
  return mode;
}

/** The asking half, shared with other one-call grants: `what` completes "… was refused" for the model. */
export async function askApproval<A, C>(
  approval: EscalationApproval<A, C>,
  reason: string,
  what: string,
): Promise<void> {
  const { approver, agent, callId, toolName, signal } = approval;
  if (!approver) throw refused('NO_APPROVER', `Nobody can approve ${what} here — work within the present limits`);
  if (!agent) throw refused('NO_AGENT', `Approval of ${what} needs an agent, and this call has none`);

  const outcome = await approver.request({ agent, toolName, callId, reason, ...(signal && { signal }) });
  assertGranted(outcome, what);
}

function widerMode({ requestedMode, effectiveMode, subject }: EscalationRequest): SandboxMode {
  const wider = Object.hasOwn(WIDER_MODES, effectiveMode) ? (WIDER_MODES[effectiveMode] ?? []) : [];
  const mode = wider.find((candidate) => candidate === requestedMode);
  if (mode) return mode;
  throw refused(
    'NOT_WIDER',
    `"${requestedMode}" is not wider than the present mode, ${effectiveMode} — send this ${subject} without sandbox_permissions and justification`,
  );
}

function assertGranted(outcome: EscalationOutcome, what: string): void {
  switch (outcome) {
    case 'allowed-once':
      return;
    case 'rejected':
      throw refused(
        'REJECTED',
        `A person or the policy refused ${what} — do not ask again; find a way within the present limits`,
      );
    case 'cancelled':
      throw refused('CANCELLED', `The request for ${what} was withdrawn before anybody answered`);
    default:
      throw refused('NO_ANSWER', `Nobody could be asked about ${what} — work within the present limits`);
  }
}

/** Last lines of a result whose file access was blocked: which mode, and whether a wider one can be asked for. */
export function sandboxDenialMarker(mode: SandboxMode): string {
  return `[sandbox: file access denied under ${mode} mode]`;
}

export function escalationHintMarker(subject: string): string {
  return `[sandbox: if this is needed, retry this exact ${subject} once with sandbox_permissions and justification]`;
}

function refused(reason: string, message: string): HarnessError {
  return new HarnessError(message, `SANDBOX_ESCALATION_${reason}`);
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ARGS');
}
