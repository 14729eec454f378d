import type { LlmFailure } from '../llm/types.ts';
import type { Turn } from './turn.ts';
import type { RequestError, RequestErrorDecision } from './types.ts';

export interface FailedRequest {
  readonly kind: 'failed';
  readonly error: RequestError;
  readonly failure: LlmFailure;
}

/** Asks plugins whether to send a failed request again, as a new step. If not, the turn has failed. */
export async function recoverRequest(turn: Turn, { error, failure }: FailedRequest): Promise<boolean> {
  const { action } = await turn.settled(askPlugins(turn, error, failure));
  if (action === 'retry') {
    turn.priorFailures = Object.freeze([...turn.priorFailures, failure]);
    return true;
  }
  turn.facts.failed = { step: turn.step, error, failure };
  return false;
}

/** A recovery plugin that fails itself must not hide what it was to recover from. */
async function askPlugins(turn: Turn, error: RequestError, failure: LlmFailure): Promise<RequestErrorDecision> {
  const { loop, number, step, priorFailures, signal } = turn;
  const fail = (): Promise<RequestErrorDecision> => Promise.resolve({ action: 'fail' });
  try {
    return await loop.events.waterfall(
      'agent/request-error',
      number,
      step,
      error,
      failure,
      priorFailures,
      signal,
      fail,
    );
  } catch (recoveryError) {
    loop.services.ctx.notify('kernel/error', recoveryError, 'agent/request-error');
    return { action: 'fail' };
  }
}
