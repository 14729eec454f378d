import type { ContinuationDecision, HookContext } from '../../harness/agent/types.ts';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { CheckoutTarget } from '../../github/git/resolve-target.ts';
import type { VerifyRun } from '../../publish/pull-request/plan-pull-request.ts';
import type { Problem, Produced } from './job.ts';
import type { Subject } from '../context/read-subject.ts';

/** What one turn of a job stands on. */
export interface Workplace {
  readonly subject: Subject;
  readonly checkout: Checkout;
  /** The kernel of this session: `bash`, `fs` and the other services the turn runs with. */
  readonly ctx: Context;
  readonly agent: Agent;
  readonly turn: number;
  readonly signal: AbortSignal;
}

/** A kind of job: what it looks at, which tools of its own it has, and what it does when the model is done. */
export interface Job {
  readonly mode: 'read-only' | 'workspace-write';
  readonly tools: readonly ToolDefinition[];
  /** What its tree is made from; `taken` where the tree of a turn that was cut off is gone on with. */
  target(subject: Subject, taken?: Pick<Checkout, 'ref'>): Promise<CheckoutTarget> | CheckoutTarget;
  /** What is to be so before the request is made. */
  begin?(ctx: Context, agent: Agent): void;
  /** Whether the turn that stops is not the job's last: nothing is verified and published yet. */
  isUnfinished?(ctx: Context, agent: Agent): boolean;
  /** What the job leaves open when all its turns have ended. */
  leftOver?(ctx: Context, agent: Agent): Problem | undefined;
  /** Data the model sees before the request. */
  contexts(subject: Subject, checkout: Checkout): Promise<HookContext[]>;
  /** Whether the model has said its last word although its message held calls. */
  readonly isSubmitted: boolean;
  /** Forgets what was submitted: the model was sent on. */
  takeBack?(): void;
  /** The model stopped: verify, publish and stop, or send it back with a reason. */
  conclude(workplace: Workplace): Promise<ContinuationDecision>;
  readonly result: JobResult;
}

/** What a job has so far; the outcome is read off it at the end. */
export interface JobResult {
  readonly produced: Produced;
  readonly summary: string;
  readonly verify: readonly VerifyRun[];
  /** Changes that only people may push, as a patch. */
  readonly patch?: string | undefined;
}
