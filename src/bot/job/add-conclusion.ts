import { agentInterruptReasonOf } from '../../harness/agent/interrupt-reason.ts';
import type { ContinuationDecision } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { JsonValue, SessionEvent } from '../../harness/session/types.ts';
import { hostNote } from '../context/host-note.ts';
import type { Job } from './job-kind.ts';
import type { AgentSetup } from './set-up-agent.ts';
import { problemOf } from '../telling/problem.ts';

/** Whether the job has verified and published: nothing that comes later undoes it. */
export interface Conclusion {
  readonly isReached: boolean;
  /** While the job verifies and publishes; settles, never rejects, with the end of that. */
  readonly underWay: Promise<void> | undefined;
}

/** The outermost voice on going on: when the model stops or has submitted, the job verifies and publishes in this turn. */
export function addConclusion({ agentCtx, root, job, subject, checkout, view }: AgentSetup): Conclusion {
  const conclusion: { -readonly [K in keyof Conclusion]: Conclusion[K] } = { isReached: false, underWay: undefined };
  agentCtx.on(
    'agent/turn-continuation',
    async (agent, turn, _default, signal, next) => {
      const decision = await next();
      if (conclusion.isReached) return decision;
      if (decision.action === 'continue') return job.isSubmitted ? takenBack(job, decision) : decision;
      if (wasCutShort(view.events())) return decision;
      const { promise, resolve } = Promise.withResolvers<void>();
      conclusion.underWay = promise;
      try {
        const after = await job.conclude({ subject, checkout, ctx: root, agent, turn, signal });
        conclusion.isReached = after.action === 'stop' && !job.isUnfinished?.(root, agent);
        if (conclusion.isReached) agent.session.append('job/result', { turn, result: asJson(job.result) });
        return after;
      } catch (error) {
        if (agentInterruptReasonOf(signal)?.kind !== 'parked') view.problem ??= problemOf(error);
        throw error;
      } finally {
        conclusion.underWay = undefined;
        resolve();
      }
    },
    { prepend: true },
  );
  addSubmission(agentCtx, job, conclusion);
  return conclusion;
}

/** The innermost voice: a submission is the end of the work, so that hooks and plugins judge it before it is published. */
function addSubmission(agentCtx: Context, job: Job, conclusion: Conclusion): void {
  agentCtx.on('agent/turn-continuation', async (_agent, _turn, _default, _signal, next) => {
    const decision = await next();
    return job.isSubmitted && !conclusion.isReached ? { action: 'stop' as const } : decision;
  });
}

const TAKEN_BACK = 'What you submitted was not taken. See to that, then submit it again.';

/** Somebody sent the model on: what it submitted no longer says how the work stands. */
function takenBack(job: Job, { reason }: Extract<ContinuationDecision, { action: 'continue' }>): ContinuationDecision {
  job.takeBack?.();
  const note = hostNote(TAKEN_BACK);
  if (!reason) return { action: 'continue', reason: note };
  return { action: 'continue', reason: { ...reason, content: [...reason.content, ...note.content] } };
}

/** Fields that are absent are left out. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** The model ran into its output limit, so the turn will not end `completed`: nothing is published (U8). */
function wasCutShort(events: readonly SessionEvent[]): boolean {
  return events.some(
    ({ type, data }) =>
      type === 'assistant/chunk' && data.chunk.type === 'finish' && data.chunk.reason.kind === 'max-tokens',
  );
}
