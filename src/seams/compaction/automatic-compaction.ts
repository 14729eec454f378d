import type { Context } from '../../harness/kernel/context.ts';
import type { LlmFailure } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type { CompactPolicies } from './policy.ts';
import type { CompactService } from './types.ts';

const OVERFLOW = 'CONTEXT_WINDOW_EXCEEDED';

/** Compacts by itself: after a step under pressure, and when a request was too long. */
export function addAutomaticCompaction(ctx: Context, compact: CompactService, policies: CompactPolicies): void {
  relieveAfterSteps(ctx, compact);
  recoverFromOverflow(ctx, compact, policies);
}

/** All of the step is in the log by then. What fails is reported, and the turn goes on with the history as it is. */
function relieveAfterSteps(ctx: Context, compact: CompactService): void {
  const failures = new WeakMap<Session, History>();
  const historyOf = (session: Session): History => ({
    generation: session.surface.replaceGeneration,
    tokens: ctx.tokenMeter.measure(session).surfaceTokens,
  });
  ctx.on('agent/post-step', async (agent, _turn, _step, signal) => {
    const { session } = agent;
    if (signal.aborted || isTooSoon(failures.get(session), historyOf(session))) return;
    try {
      await compact.compactIfNeeded(agent, 'pressure', signal);
    } catch (error) {
      if (signal.aborted) return;
      failures.set(session, historyOf(session));
      ctx.notify('kernel/error', error, 'compaction');
    }
  });
}

interface History {
  readonly generation: number;
  readonly tokens: number;
}

/** A summary that failed was paid for: the history has to grow before the next one is tried. */
function isTooSoon(failed: History | undefined, now: History): boolean {
  return failed?.generation === now.generation && now.tokens < failed.tokens * 1.1;
}

/** Only a history that became another one is worth a new attempt; without, the provider's error stands. */
function recoverFromOverflow(ctx: Context, compact: CompactService, policies: CompactPolicies): void {
  ctx.on('agent/request-error', async (agent, _turn, _step, _error, failure, priorFailures, signal, next) => {
    const { session } = agent;
    if (signal.aborted || !isMendable(session, failure, priorFailures, policies)) return next();
    const before = session.surface.replaceGeneration;
    try {
      await compact.compactIfNeeded(agent, 'context-overflow', signal);
    } catch (error) {
      if (!signal.aborted) ctx.notify('kernel/error', error, 'compaction');
    }
    if (signal.aborted) return { action: 'fail' };
    return session.surface.replaceGeneration > before ? { action: 'retry' } : next();
  });
}

/** Failures of other kinds do not count: each has a budget of its own. */
function isMendable(
  session: Session,
  { code }: LlmFailure,
  priorFailures: readonly LlmFailure[],
  policies: CompactPolicies,
): boolean {
  const route = session.requestHeader()?.config;
  if (code !== OVERFLOW || !route) return false;
  const before = priorFailures.filter((failure) => failure.code === OVERFLOW).length;
  return before < policies.of(route).maxOverflowRetries;
}
