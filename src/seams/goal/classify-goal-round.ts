import type { TurnEndReason } from '../../harness/session/types.ts';
import '../../harness/agent/parked.ts';
import type { GoalRoundOutcome } from './types.ts';

/** What the end of a round's turn means for its goal. `durable`: its log is stored. Nothing abnormal is tried again (G18). Pure. */
export function classifyGoalRound(reason: TurnEndReason, durable: boolean): GoalRoundOutcome {
  if (!durable) return { kind: 'disarm', reason: 'durability-failed' };
  switch (reason.kind) {
    case 'completed':
      return { kind: 'continue' };
    case 'aborted':
      return { kind: 'pause', reason: 'the round was cancelled' };
    case 'disposed':
    case 'interrupted':
    case 'parked':
      return { kind: 'disarm', reason: reason.kind };
    case 'max-tokens':
      return { kind: 'blocked', code: 'max-tokens', message: 'the model ran into its output limit' };
    case 'rejected':
      return { kind: 'blocked', code: 'prompt-rejected', message: reason.reason || 'the round was rejected' };
    case 'error':
      return ofError(reason);
    default:
      return unknown(reason);
  }
}

function ofError(reason: Extract<TurnEndReason, { kind: 'error' }>): GoalRoundOutcome {
  const { code, message } = 'failure' in reason ? reason.failure : { code: undefined, message: reason.message };
  const isUsage = code === 'RATE_LIMIT' || code === 'QUOTA';
  return { kind: 'blocked', code: isUsage ? 'usage-limited' : 'turn-error', message: message || 'the round failed' };
}

function unknown(reason: never): GoalRoundOutcome {
  const kind = String((reason as { kind?: unknown }).kind);
  return { kind: 'blocked', code: 'unknown-turn-outcome', message: `the round ended as ${kind}` };
}
