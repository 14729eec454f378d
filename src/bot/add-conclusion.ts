import type { SessionEvent } from '../harness/session/types.ts';
import type { AgentSetup } from './set-up-agent.ts';
import { problemOf } from './problem.ts';

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
      if (conclusion.isReached || (decision.action === 'continue' && !job.isSubmitted)) return decision;
      if (wasCutShort(view.events())) return decision;
      const { promise, resolve } = Promise.withResolvers<void>();
      conclusion.underWay = promise;
      try {
        const after = await job.conclude({ subject, checkout, ctx: root, agent, turn, signal });
        conclusion.isReached = after.action === 'stop';
        return after;
      } catch (error) {
        view.problem ??= problemOf(error);
        throw error;
      } finally {
        conclusion.underWay = undefined;
        resolve();
      }
    },
    { prepend: true },
  );
  return conclusion;
}

/** The model ran into its output limit, so the turn will not end `completed`: nothing is published (U8). */
function wasCutShort(events: readonly SessionEvent[]): boolean {
  return events.some(
    ({ type, data }) =>
      type === 'assistant/chunk' && data.chunk.type === 'finish' && data.chunk.reason.kind === 'max-tokens',
  );
}
