import { randomBytes } from 'node:crypto';
import { agentInterruptReasonOf } from '../../harness/agent/interrupt-reason.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { scopeTarget } from '../../harness/scope/scope.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { assertApprovalPolicy, effectiveApprovalPolicy } from './approval-policy.ts';
import { carriedGrant } from './carried-grant.ts';
import { APPROVAL_OUTCOMES, ApprovalRequestId } from './types.ts';
import type { ApprovalOutcome, ApprovalPolicy, ApprovalRequest } from './types.ts';

export interface ApprovalConfig {
  /** Holds until a session is set otherwise; default `ask`. */
  readonly policy?: ApprovalPolicy;
}

/** `ctx.approval`: whether one exact action may run now. Each answer is for once, and stands in the log as a pair. */
export class ApprovalService {
  readonly config: ApprovalConfig;
  readonly #ctx: Context;
  /** Carried grants that a call has used. */
  readonly #used = new Set<ApprovalRequestId>();

  constructor(ctx: Context, config: ApprovalConfig = {}) {
    if (config.policy !== undefined) assertApprovalPolicy(config.policy);
    this.#ctx = ctx;
    this.config = config;
  }

  policyOf(events: readonly SessionEvent[]): ApprovalPolicy {
    return effectiveApprovalPolicy(events) ?? this.config.policy ?? 'ask';
  }

  /**
   * Rejects only where the question or its decision cannot be logged, or when the turn is parked while it waits: then
   * the pair stays open for the turn that answers.
   */
  async request(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const { agent, toolName, callId, reason } = request;
    const { session } = agent;
    assertMayAsk(request);
    if (this.#useCarriedGrant(request)) return 'allowed-once';
    const id = ApprovalRequestId(`ap_${randomBytes(6).toString('hex')}`);
    session.append('approval/asked', {
      id,
      toolName,
      ...(callId !== undefined && { callId }),
      ...(reason !== undefined && { reason }),
    });
    const outcome = await this.#decide(request);
    session.append('approval/decided', { id, outcome });
    return outcome;
  }

  /** A person's yes to this very call, given while its turn was parked: it is not asked for twice, nor used twice. */
  #useCarriedGrant(request: ApprovalRequest): boolean {
    const { session } = request.agent;
    if (request.signal?.aborted || this.policyOf(session.events) === 'never') return false;
    const id = carriedGrant(session.events, request);
    if (id === undefined || this.#used.has(id)) return false;
    this.#used.add(id);
    return true;
  }

  async #decide(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const { agent, signal } = request;
    if (signal?.aborted) return 'cancelled';
    if (this.policyOf(agent.session.events) === 'never') return 'rejected';
    const answer = this.#ask(request).catch((): ApprovalOutcome => 'unavailable');
    return signal ? unlessAborted(answer, signal) : answer;
  }

  /** A listener's synchronous throw is a rejection, too. */
  async #ask(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const carrier = scopeTarget<ApprovalService>(this, request.agent);
    const answer = await this.#ctx.waterfall(carrier, 'approval/request', request, async () => 'unavailable' as const);
    return APPROVAL_OUTCOMES.find((outcome) => outcome === answer) ?? 'unavailable';
  }
}

/** Says that the turn is being parked, and nothing was decided. */
export class ApprovalParkedError extends HarnessError {
  constructor() {
    super('the turn was parked while this approval was waited for', 'APPROVAL_PARKED');
    this.name = 'ApprovalParkedError';
  }
}

function assertMayAsk({ agent, toolName }: ApprovalRequest): void {
  if (toolName === '') throw new HarnessError('an approval needs the name of a tool', 'APPROVAL_INVALID');
  if (agent.session.openTurn === undefined)
    throw new HarnessError('an approval can be asked for in an open turn only', 'APPROVAL_OUTSIDE_TURN');
}

function unlessAborted(answer: Promise<ApprovalOutcome>, signal: AbortSignal): Promise<ApprovalOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<ApprovalOutcome>();
  const onAbort = () => {
    if (agentInterruptReasonOf(signal)?.kind === 'parked') reject(new ApprovalParkedError());
    else resolve('cancelled');
  };
  signal.addEventListener('abort', onAbort, { once: true });
  void answer.then(resolve);
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
