import type { EpochHeader, SessionEvent } from '../../harness/session/types.ts';
import { anchorOf } from './anchor.ts';
import type { Anchor } from './anchor.ts';
import { isSameHeader, priceHeader } from './priced-header.ts';
import type { PricedHeader } from './priced-header.ts';
import { badLog } from './provider-reply.ts';
import { SurfacePrices } from './surface-prices.ts';
import type { TokenMeasurement, TokenMeasurementBaseline } from './types.ts';

/** The part of a session the fold reads. */
export interface ReadableLog {
  readonly seq: number;
  eventAt(seq: number): SessionEvent | undefined;
}

interface OpenStep {
  readonly turn: number;
  readonly step: number;
  /** Price of the history that travelled in this step's request. */
  readonly surfaceTokens: number;
}

interface FoldState {
  readonly header: PricedHeader | undefined;
  readonly openStep: OpenStep | undefined;
  readonly anchor: Anchor | undefined;
}

/** What a log weighs, event by event. Holds prices only, never content. */
export class MeterFold {
  readonly #log: ReadableLog;
  readonly #surface: SurfacePrices;
  #state: FoldState = { header: undefined, openStep: undefined, anchor: undefined };
  /** Seq of the next event to read. */
  #next = 0;

  constructor(log: ReadableLog) {
    this.#log = log;
    this.#surface = new SurfacePrices((seq) => log.eventAt(seq));
  }

  /** Reads what is new. An event that cannot be read changes nothing, stays unread, and throws again next time. */
  advance(): void {
    for (; this.#next < this.#log.seq; this.#next += 1) {
      const event = this.#log.eventAt(this.#next)!;
      const plan = this.#surface.plan(event);
      const state = this.#after(event);
      this.#surface.commit(plan);
      this.#state = state;
    }
  }

  measure(requestHeader?: EpochHeader): TokenMeasurement {
    const { anchor, header: logged } = this.#state;
    const { tokens: surfaceTokens, nodes } = this.#surface;
    const header = requestHeader ? priceHeader(requestHeader, logged) : logged;
    const reused = anchor && isSameHeader(anchor.header, header) ? anchor : undefined;
    const baseline = reused?.baseline ?? wholePrice(header, surfaceTokens, nodes.length);
    const surfaceDeltaTokens = reused ? surfaceTokens - reused.surfaceTokens : 0;
    // Never negative: a baseline is at least the anchor's surface.
    const totalTokens = baseline.tokens + surfaceDeltaTokens;
    return Object.freeze({ logRevision: this.#next, baseline, surfaceDeltaTokens, totalTokens, surfaceTokens, nodes });
  }

  #after(event: SessionEvent): FoldState {
    const state = this.#state;
    switch (event.type) {
      case 'request/header':
        return { ...state, header: priceHeader(event.data.header, state.header) };
      case 'step/start':
        return { ...state, openStep: this.#startStep(event) };
      case 'step/end':
        this.#mustBeOpen(event);
        return { ...state, openStep: undefined };
      case 'assistant/message':
        return event.surfaceOp === 'append' ? { ...state, anchor: this.#anchorAt(event) } : state;
      default:
        return state;
    }
  }

  #startStep({ seq, data: { turn, step } }: SessionEvent<'step/start'>): OpenStep {
    if (this.#state.openStep) throw badLog(`event ${seq} starts a step inside another one`);
    return { turn, step, surfaceTokens: this.#surface.tokens };
  }

  #mustBeOpen({ seq, type, data }: SessionEvent<'step/end'> | SessionEvent<'assistant/message'>): OpenStep {
    const { openStep } = this.#state;
    if (openStep?.turn === data.turn && openStep.step === data.step) return openStep;
    throw badLog(`event ${seq} (${type}) does not belong to the open step`);
  }

  /** What was appended since `step/start` did not travel in the request, so it is no part of the anchor. */
  #anchorAt(event: SessionEvent<'assistant/message'>): Anchor {
    const { surfaceTokens } = this.#mustBeOpen(event);
    return anchorOf(event, { header: this.#state.header, surfaceTokens }, (seq) => this.#log.eventAt(seq));
  }
}

function wholePrice(header: PricedHeader | undefined, tokens: number, nodes: number): TokenMeasurementBaseline {
  if (!header && nodes === 0) return Object.freeze({ kind: 'none', tokens: 0 });
  return Object.freeze({ kind: 'estimated', tokens: (header?.tokens ?? 0) + tokens });
}
