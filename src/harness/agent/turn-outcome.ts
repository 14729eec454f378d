import { errorChain } from '../llm/errors.ts';
import type { LlmFailure } from '../llm/types.ts';
import type { TurnEndReason } from '../session/types.ts';
import type { TurnCancellation } from './turn-cancellation.ts';
import './parked.ts';

/** What a turn came to, apart from being interrupted. */
export interface TurnFacts {
  rejected?: string;
  /** `failure` when it was the model request itself that failed. */
  failed?: { step: number; error: unknown; failure?: LlmFailure };
  cutShort: boolean;
}

/** Precedence: disposed, aborted, parked, error, max-tokens, completed. A cancel's cause is never durable. */
export function turnEndReason(outcome: TurnCancellation['outcome'], facts: TurnFacts): TurnEndReason {
  if (outcome === 'disposed' || outcome === 'aborted') return { kind: outcome };
  if (outcome !== undefined) return { kind: 'parked', ...outcome };
  if (facts.failed !== undefined) return errorReason(facts.failed);
  if (facts.rejected !== undefined) return { kind: 'rejected', reason: facts.rejected };
  return { kind: facts.cutShort ? 'max-tokens' : 'completed' };
}

function errorReason({ step, error, failure }: NonNullable<TurnFacts['failed']>): TurnEndReason {
  if (failure !== undefined) return { kind: 'error', step, failure };
  const code = codeOf(error);
  return { kind: 'error', step, message: describe(error), ...(code !== undefined && { code }) };
}

function codeOf(error: unknown): string | undefined {
  try {
    const code = Error.isError(error) ? (error as { code?: unknown }).code : undefined;
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** A thrown value may be hostile; describing it must not throw, or the turn could not be closed. */
function describe(error: unknown): string {
  try {
    return errorChain(error) || 'unknown error';
  } catch {
    return 'unknown error';
  }
}
