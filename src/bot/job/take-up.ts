import { isMessageTrigger } from '../../harness/session/turn-kinds.ts';
import type { SessionEvent, TurnEndReason } from '../../harness/session/types.ts';
import type { Opening } from './opening.ts';
import { waitingRequest } from '../people/waiting-request.ts';
import '../session/session-events.ts';

/** Where a job stands by its session's log, when a process begins to work on it. */
export type TakeUp =
  /** Nothing of it is in the log, but perhaps turns that it continues: `from` is the seq of its first event. */
  | {
      readonly kind: 'begin';
      readonly from: number;
      /** The session's last turn, of another job, where it was cut off and nobody went on with it. */
      readonly cutOff?: number;
    }
  /** Its last turn was cut off. */
  | {
      readonly kind: 'resume';
      readonly from: number;
      readonly turn: number;
      /** Whether the log holds what was asked; else the model never saw it. */
      readonly wasAsked: boolean;
    }
  /** It waits for a person, parked or in a process that was lost. */
  | { readonly kind: 'waits'; readonly from: number; readonly request: string }
  /** It has ended; perhaps nobody was told. */
  | { readonly kind: 'tell'; readonly from: number };

interface Asked {
  readonly cause: string;
  readonly opening: Opening | undefined;
  /** A person ran again what had failed. */
  readonly isAgain?: boolean | undefined;
}

interface JobTurn {
  readonly turn: number;
  readonly seq: number;
  readonly request: string | undefined;
  readonly end: string | undefined;
}

/** What is left to do of the job of a cause (T5): a turn that lost its process is gone on with, one that ended is not run again. Pure. */
export function takeUp(events: readonly SessionEvent[], { cause, opening, isAgain }: Asked): TakeUp {
  const turns = turnsOf(events, cause);
  const last = turns.at(-1);
  const from = turns[0]?.seq ?? events.length;
  if (!last) return opening?.kind === 'answer' ? { kind: 'tell', from } : { kind: 'begin', from, ...cutOffIn(events) };
  const waits = waitingRequest(events);
  if (waits !== undefined && isOf(waits, turns, events)) return { kind: 'waits', from, request: waits };
  const mayBegin = isAgain && opening?.kind !== 'answer' && last.end !== 'completed';
  if (last.end !== undefined && !CUT_OFF.has(last.end))
    return mayBegin ? { kind: 'begin', from: events.length } : { kind: 'tell', from };
  const wasAsked = events.some(({ type, seq }) => seq > from && type === 'user/message');
  return { kind: 'resume', from, turn: last.turn, wasAsked };
}

function isOf(request: string, turns: readonly JobTurn[], events: readonly SessionEvent[]): boolean {
  const asked = events.find((event) => event.type === 'human/asked' && event.data.request === request);
  return asked?.type === 'human/asked' && turns.some(({ turn }) => turn === asked.data.turn);
}

/** The process was lost, or ended before the turn did. */
const CUT_OFF: ReadonlySet<string> = new Set(['interrupted', 'disposed']);
/** The log could not be written for a time: no room, no connection, no right to. */
const NOT_STORED = /^(ERR_SQLITE|STALE_LEASE|DATABASE_UNAVAILABLE|ENOSPC|ECONN|57P|08|53)/;

function endOf(reason: TurnEndReason): string {
  return reason.kind === 'error' && 'code' in reason && NOT_STORED.test(reason.code ?? '')
    ? 'interrupted'
    : reason.kind;
}

function turnsOf(events: readonly SessionEvent[], cause: string): JobTurn[] {
  const ends = new Map<number, string>();
  for (const event of events) if (event.type === 'turn/end') ends.set(event.data.turn, endOf(event.data.reason));
  return events.flatMap((event) => {
    if (event.type !== 'turn/start') return [];
    const { turn, trigger } = event.data;
    const { cause: ofCause, request } = trigger as { cause?: string; request?: string };
    return ofCause === cause ? [{ turn, seq: event.seq, request, end: ends.get(turn) }] : [];
  });
}

function cutOffIn(events: readonly SessionEvent[]): { cutOff?: number } {
  const last = events.findLast((event) => event.type === 'turn/start' && isMessageTrigger(event.data.trigger.kind));
  if (last?.type !== 'turn/start' || waitingRequest(events) !== undefined) return {};
  const { turn } = last.data;
  const end = events.findLast((event) => event.type === 'turn/end' && event.data.turn === turn);
  const isCutOff = end?.type !== 'turn/end' || CUT_OFF.has(endOf(end.data.reason));
  return isCutOff ? { cutOff: turn } : {};
}
