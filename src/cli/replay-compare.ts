import { foldSurface } from '../harness/session/fold-surface.ts';
import { deriveEventMessage } from '../harness/session/derive-message.ts';
import { rebuildRequest } from '../harness/session/rebuild-request.ts';
import type { SessionEvent } from '../harness/session/types.ts';
import type { RerunTurn } from './replay-rerun.ts';
import type { TurnRecording } from './replay-recording.ts';
import { firstDifference } from './replay-difference.ts';

export interface RerunRequest {
  readonly turn: number;
  readonly step: number;
  readonly again: string | undefined;
  readonly status: 'equal' | 'differs' | 'missing';
  /** Where the request of the log and that of the new run part, or why the new run sent none. */
  readonly difference: string | undefined;
}
export interface ComparedTurn {
  readonly turn: number;
  readonly requests: readonly RerunRequest[];
  /** Where the history differs after the turn, although the turn came to its end. */
  readonly historyDifference: string | undefined;
}

/** Holds a turn that ran again against its recording: every request, and what the turn left behind. Pure. */
export function compareTurn(events: readonly SessionEvent[], recording: TurnRecording, rerun: RerunTurn): ComparedTurn {
  const requests = [...recording.digests].map(([step, sent]) =>
    compareRequest(events, { recording, rerun, step, sent }),
  );
  return { turn: recording.turn, requests, historyDifference: compareHistory(events, recording, rerun) };
}

interface RequestPair {
  readonly recording: TurnRecording;
  readonly rerun: RerunTurn;
  readonly step: number;
  readonly sent: string;
}

function compareRequest(events: readonly SessionEvent[], { recording, rerun, step, sent }: RequestPair): RerunRequest {
  const { turn } = recording;
  const again = rerun.digests.get(step);
  if (again === undefined) return { turn, step, again, status: 'missing', difference: whyMissing(rerun) };
  const status = again === sent ? 'equal' : 'differs';
  return {
    turn,
    step,
    again,
    status,
    difference: firstDifference(rebuildRequest(events, turn, step), rerun.requests.get(step)),
  };
}

function whyMissing({ end }: RerunTurn): string {
  if (end?.kind !== 'error') return `the turn ended before it as ${end?.kind ?? 'nothing at all'}`;
  const { code, message } = 'failure' in end ? end.failure : end;
  return `the turn failed before it: ${code ?? 'error'}: ${message}`;
}

/** Turns that were cut off leave what chance left; of those that came to their own end, every message is compared. */
function compareHistory(
  events: readonly SessionEvent[],
  { end, events: own }: TurnRecording,
  { session }: RerunTurn,
): string | undefined {
  if (end?.kind !== 'completed' && end?.kind !== 'max-tokens') return undefined;
  const until = own.at(-1)!.seq + 1;
  const difference = firstDifference(historyOf(events.slice(0, until)), session.deriveMessages());
  return difference && `history${difference}`;
}

function historyOf(events: readonly SessionEvent[]) {
  return foldSurface(events).nodes.flatMap((seq) => deriveEventMessage(events[seq]!) ?? []);
}
