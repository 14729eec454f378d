import type { Message } from '../llm/types.ts';
import { checkEvent } from './check-event.ts';
import { deriveEventMessage } from './derive-message.ts';
import { History } from './history.ts';
import { copyJsonValue, snapshotJsonValue, snapshotOfParts } from './json.ts';
import { EMPTY_LOG } from './log-state.ts';
import type { LogState, PendingCall } from './log-state.ts';
import { nextLogState } from './next-log-state.ts';
import { SessionLogError } from './session-errors.ts';
import { isSnapshot } from './snapshot-json.ts';
import { SurfaceFold } from './surface-fold.ts';
import type {
  EpochHeader,
  SessionEvent,
  SessionEventMap,
  SessionEventType,
  SessionHeader,
  SessionId,
  SessionSurface,
  SurfaceEventType,
  SurfaceIntent,
} from './types.ts';

/** What a session needs from whoever keeps it. */
export interface SessionHost {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Asked before each commit, with the event as it would be stored: a throw vetoes it. The returned function runs
   * after the commit and tells the observers; it must not throw.
   */
  admit(session: Session, event: SessionEvent): () => void;
  /** What is stored of the data of a new event: the same object, or plain JSON in its place. */
  filter?(session: Session, data: object): object;
}

type IntentArgs<T extends SessionEventType> = T extends SurfaceEventType ? [intent: SurfaceIntent] : [];

/**
 * One append-only log of typed, immutable events, and the folds over it that every step needs. All reads that do not
 * hand out a list cost the same however long the log is.
 */
export class Session {
  readonly header: SessionHeader;
  readonly #host: SessionHost;
  readonly #log: SessionEvent[] = [];
  readonly #surface = new SurfaceFold((seq) => this.#log[seq]);
  readonly #history = new History(this.#surface, (seq) => this.#log[seq]);
  #events: readonly SessionEvent[] | undefined;
  #surfaceView: SessionSurface | undefined;
  #state: LogState = EMPTY_LOG;
  #requestHeader: EpochHeader | undefined;
  #isDispatching = false;

  /** `seed` is checked as appends are, but tells nobody. Throws `SessionLogError` if it is not a log. */
  constructor(header: SessionHeader, host: SessionHost, seed: readonly SessionEvent[] = []) {
    this.header = header;
    this.#host = host;
    for (const event of frozenSeed(seed)) this.#commit(event, () => () => {});
  }

  get id(): SessionId {
    return this.header.id;
  }

  /** Number of events, which is the seq of the next one. */
  get seq(): number {
    return this.#log.length;
  }

  /** A frozen array, the same one until the next append. To follow a growing log, `eventAt` copies nothing. */
  get events(): readonly SessionEvent[] {
    this.#events ??= snapshotOfParts(this.#log.slice());
    return this.#events;
  }

  eventAt(seq: number): SessionEvent | undefined {
    return this.#log[seq];
  }

  get surface(): SessionSurface {
    const { nodes, generation } = this.#surface;
    this.#surfaceView ??= Object.freeze({ nodes: Object.freeze(nodes.slice()), replaceGeneration: generation });
    return this.#surfaceView;
  }

  /** Number of the last turn started; 0 before the first. The next one is this + 1, whoever started this one. */
  get lastTurn(): number {
    return this.#state.turn;
  }

  /** Number of the turn that is open now. */
  get openTurn(): number | undefined {
    return this.#state.open && this.#state.turn;
  }

  /** Number of the step that is open now. */
  get openStep(): number | undefined {
    return this.#state.open?.openStep && this.#state.open.step;
  }

  /** Calls a parked turn left open, in call order: their results come before anything else on the surface. */
  get parkedCalls(): readonly PendingCall[] {
    return this.#state.parked;
  }

  /** Calls of the open step that have no result yet, in the model's order. */
  get pendingCalls(): readonly PendingCall[] {
    return this.#state.open?.openStep?.pending ?? [];
  }

  /** The header of the last request, which the next one starts from. */
  requestHeader(): EpochHeader | undefined {
    return this.#requestHeader;
  }

  /** The history the model would see now: a fresh array of shared, frozen messages. */
  deriveMessages(): Message[] {
    return this.#history.messages();
  }

  deriveEventMessage(event: SessionEvent): Message | null {
    return deriveEventMessage(event);
  }

  /**
   * Adds one event and returns it as stored. The data is copied first, so later changes of the caller's change nothing.
   * Throws, with nothing written, on data that is not lossless JSON, on a place the log or the surface does not allow,
   * on a veto, and when called by an observer of this very session.
   */
  append<T extends SessionEventType>(type: T, data: SessionEventMap[T], ...[intent]: IntentArgs<T>): SessionEvent<T> {
    const stored = this.#filtered(copyJsonValue(data));
    const marks: Partial<SurfaceIntent> = intent === undefined ? {} : pickMarks(copyJsonValue(intent));
    if (this.#isDispatching) {
      throw new SessionLogError(`an observer of session ${this.id} may not append to it`, 'REENTRANT_APPEND');
    }
    const event = Object.freeze({ type, seq: this.seq, time: this.#host.now(), data: stored, ...marks });
    this.#isDispatching = true;
    try {
      this.#commit(event as unknown as SessionEvent, (candidate) => this.#host.admit(this, candidate));
    } finally {
      this.#isDispatching = false;
    }
    return event as unknown as SessionEvent<T>;
  }

  #filtered<T extends object>(data: T): T {
    const filtered = this.#host.filter?.(this, data) ?? data;
    return filtered === data ? data : copyJsonValue(filtered as T);
  }

  #commit(event: SessionEvent, admit: (event: SessionEvent) => () => void): void {
    checkEvent(event);
    const plan = this.#surface.plan(event);
    const state = nextLogState(this.#state, event);
    const notify = admit(event);
    this.#log.push(event);
    this.#events = undefined;
    this.#state = state;
    if (plan.kind !== 'none') this.#surfaceView = undefined;
    this.#surface.commit(plan);
    if (event.type === 'request/header') this.#requestHeader = snapshotJsonValue(event.data.header);
    notify();
  }
}

function pickMarks(marks: Partial<SurfaceIntent>): Partial<SurfaceIntent> {
  const { surfaceOp, sourceEventSeqs, ...rest } = marks;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new SessionLogError(`unknown surface metadata "${unknown}"`, 'INVALID_SURFACE');
  return { ...(surfaceOp !== undefined && { surfaceOp }), ...(sourceEventSeqs !== undefined && { sourceEventSeqs }) };
}

const ENVELOPE: ReadonlySet<string> = new Set(['type', 'seq', 'time', 'data', 'surfaceOp', 'sourceEventSeqs']);

function frozenSeed(seed: readonly SessionEvent[]): readonly SessionEvent[] {
  const events = isSnapshot(seed) ? seed : seed.map((event) => copyJsonValue(event));
  events.forEach(checkEnvelope);
  return events;
}

function checkEnvelope(event: SessionEvent, seq: number): void {
  if (event.seq !== seq) throw new SessionLogError(`event ${seq} is numbered ${event.seq}`, 'INVALID_EVENT');
  for (const key in event) {
    if (!ENVELOPE.has(key)) throw new SessionLogError(`event ${seq}: unknown field "${key}"`, 'INVALID_EVENT');
  }
}
