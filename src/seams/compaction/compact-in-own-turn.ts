import type { Context } from '../../harness/kernel/context.ts';
import { errorChain, HarnessError, isHarnessError } from '../../harness/llm/errors.ts';
import { isParked } from '../../harness/agent/session-log.ts';
import type { TurnEndReason, TurnTrigger } from '../../harness/session/types.ts';
import type { CompactAgentContext, CompactionResult } from './types.ts';

/**
 * Compacts all but the newest of a session that rests, in a turn of its own without a step, and flushes. `null` where
 * there is nothing to compact, or nothing would be gained.
 * @throws HarnessError `COMPACT_TURN_OPEN`, `COMPACT_PARKED`, and what the compaction throws, after the turn is closed
 */
export async function compactInOwnTurn(
  ctx: Context,
  agent: CompactAgentContext,
  { trigger, signal }: { trigger: TurnTrigger; signal: AbortSignal },
): Promise<CompactionResult | null> {
  const { session } = agent;
  if (session.openTurn !== undefined) throw refused('a turn is running', 'COMPACT_TURN_OPEN');
  if (isParked(session)) throw refused('the session waits for an answer', 'COMPACT_PARKED');
  const turn = session.lastTurn + 1;
  session.append('turn/start', { turn, trigger });
  let reason: TurnEndReason = { kind: 'completed' };
  try {
    return await ctx.compact.compactIfNeeded(agent, 'context-overflow', signal);
  } catch (error) {
    if (isHarnessError(error) && error.code === 'COMPACT_NOT_SMALLER') return null;
    reason = signal.aborted ? { kind: 'aborted' } : failed(error);
    throw error;
  } finally {
    session.append('turn/end', { turn, reason });
    await ctx.sessions.flush(session);
  }
}

function failed(error: unknown): TurnEndReason {
  return { kind: 'error', step: 0, message: errorChain(error), ...(isHarnessError(error) && { code: error.code }) };
}

function refused(why: string, code: string): HarnessError {
  return new HarnessError(`this session cannot be compacted now: ${why}`, code);
}
