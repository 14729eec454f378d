import { isSurfaceEvent } from '../harness/session/surface-event.ts';
import type { EpochHeader, SessionEvent, SurfaceEvent, TurnEndReason, TurnTrigger } from '../harness/session/types.ts';

type ToolResult = SessionEvent<'tool/result'>['data'];

/** What one turn of a log was given from outside the loop: enough to run it again without any of that. */
export interface TurnRecording {
  readonly turn: number;
  /** Seq of its `turn/start`: what stands before it is what the turn began with. */
  readonly start: number;
  readonly events: readonly SessionEvent[];
  readonly trigger: TurnTrigger;
  /** Absent in a turn that goes on with a parked one. */
  readonly prompt: SessionEvent<'user/message'>['data'] | undefined;
  /** Number of the last step that was started. */
  readonly steps: number;
  /** What each step's request was headed with. */
  readonly headers: ReadonlyMap<number, EpochHeader>;
  /** What each step's request was logged to be. */
  readonly digests: ReadonlyMap<number, string>;
  readonly replies: ReadonlyMap<number, SessionEvent<'assistant/message'>>;
  /** By call id, in order. */
  readonly results: ReadonlyMap<string, readonly ToolResult[]>;
  /** What the loop itself puts into the history, and its steps: events whose order is the loop's doing. */
  readonly anchors: readonly SessionEvent[];
  /** What others put into the history, and after how many anchors. */
  readonly guests: readonly { readonly after: number; readonly event: SurfaceEvent }[];
  readonly end: TurnEndReason | undefined;
}

/** The turns of a log. Turns that sent no request are left out: nothing of theirs can be run again. Pure. */
export function recordTurns(events: readonly SessionEvent[]): TurnRecording[] {
  let header: EpochHeader | undefined;
  return splitTurns(events).flatMap((turn) => {
    const recorder = new Recorder(turn, header);
    turn.forEach((event) => recorder.add(event));
    header = recorder.header;
    return recorder.digests.size > 0 ? [recorder] : [];
  });
}

function splitTurns(events: readonly SessionEvent[]): SessionEvent[][] {
  const turns: SessionEvent[][] = [];
  for (const event of events) {
    if (event.type === 'turn/start') turns.push([]);
    turns.at(-1)?.push(event);
  }
  return turns;
}

class Recorder implements TurnRecording {
  readonly turn: number;
  readonly start: number;
  readonly trigger: TurnTrigger;
  readonly events: readonly SessionEvent[];
  prompt: TurnRecording['prompt'];
  end: TurnRecording['end'];
  steps = 0;
  header: EpochHeader | undefined;
  readonly headers = new Map<number, EpochHeader>();
  readonly digests = new Map<number, string>();
  readonly replies = new Map<number, SessionEvent<'assistant/message'>>();
  readonly results = new Map<string, ToolResult[]>();
  readonly anchors: SessionEvent[] = [];
  readonly guests: { after: number; event: SurfaceEvent }[] = [];

  constructor(events: readonly SessionEvent[], header: EpochHeader | undefined) {
    const first = events[0] as SessionEvent<'turn/start'>;
    this.turn = first.data.turn;
    this.start = first.seq;
    this.trigger = first.data.trigger;
    this.events = events;
    this.header = header;
  }

  add(event: SessionEvent): void {
    if (isAnchor(event)) this.anchors.push(event);
    else if (isSurfaceEvent(event)) this.guests.push({ after: this.anchors.length, event });
    switch (event.type) {
      case 'step/start':
        this.steps = event.data.step;
        return;
      case 'request/header':
        this.header = event.data.header;
        return;
      case 'request/digest':
        this.digests.set(event.data.step, event.data.sha256);
        if (this.header) this.headers.set(event.data.step, this.header);
        return;
      case 'turn/end':
        this.end = event.data.reason;
        return;
      default:
        if (isAnchor(event)) this.#addOwn(event);
    }
  }

  #addOwn(event: SessionEvent): void {
    if (event.type === 'user/message') this.prompt = event.data;
    if (event.type === 'assistant/message') this.replies.set(event.data.step, event);
    if (event.type !== 'tool/result') return;
    const { callId } = event.data;
    this.results.set(callId, [...(this.results.get(callId) ?? []), event.data]);
  }
}

const OWN: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result']);

/** A step, or what the loop itself appends to the history; a replacement is always somebody else's. */
export function isAnchor(event: SessionEvent): boolean {
  if (event.type === 'step/start') return true;
  return OWN.has(event.type) && isSurfaceEvent(event) && event.surfaceOp === 'append';
}
