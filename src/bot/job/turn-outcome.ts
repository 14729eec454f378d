import { isMessageTrigger } from '../../harness/session/turn-kinds.ts';
import type { SessionEvent, TurnEndReason } from '../../harness/session/types.ts';
import type { JobOutcome, Problem } from './job.ts';
import { problemOfFailure } from '../telling/problem.ts';

interface Ended {
  readonly status: JobOutcome['status'];
  readonly problem: Problem | undefined;
}

/** How the job's turn ended, for people. Pure. */
export function turnOutcome(events: readonly SessionEvent[], signal: { readonly aborted: boolean }): Ended {
  const end = events.findLast((event) => event.type === 'turn/end' && !isBackground(event.data.turn, events));
  if (end?.type !== 'turn/end') return { status: 'failed', problem: unfinished(signal.aborted) };
  return describe(end.data.reason, signal.aborted);
}

/** A turn that only holds a fact that was told to the model between turns, the session's name, or what was condensed. */
function isBackground(turn: number, events: readonly SessionEvent[]): boolean {
  return events.some(
    ({ type, data }) => type === 'turn/start' && data.turn === turn && !isMessageTrigger(data.trigger.kind),
  );
}

function describe(reason: TurnEndReason, interrupted: boolean): Ended {
  switch (reason.kind) {
    case 'completed':
      return { status: 'completed', problem: undefined };
    case 'parked':
      return { status: 'parked', problem: undefined };
    case 'aborted':
    case 'disposed':
      return { status: 'stopped', problem: unfinished(interrupted) };
    case 'max-tokens':
      return {
        status: 'failed',
        problem: {
          code: 'MAX_TOKENS',
          message: 'The model ran into its output limit.',
          hint: 'Ask again, or raise `maxOutputTokens`.',
        },
      };
    case 'error':
      if ('failure' in reason) return { status: 'failed', problem: problemOfFailure(reason.failure) };
      return {
        status: 'failed',
        problem: { code: reason.code ?? 'TURN_FAILED', message: reason.message, hint: undefined },
      };
    default:
      return {
        status: 'failed',
        problem: { code: 'TURN_FAILED', message: `The turn ended as ${reason.kind}.`, hint: undefined },
      };
  }
}

function unfinished(interrupted: boolean): Problem {
  if (interrupted)
    return { code: 'INTERRUPTED', message: 'The job was interrupted.', hint: 'Ask again to start over.' };
  return { code: 'STOPPED', message: 'The turn was stopped.', hint: undefined };
}
