import type { Message } from '../llm/types.ts';
import { composeRequest } from './compose-request.ts';
import type { ComposedRequest } from './compose-request.ts';
import { History } from './history.ts';
import { SurfaceFold } from './surface-fold.ts';
import type { EpochHeader, SessionEvent } from './types.ts';

/** One request of the log, as it must have been sent. `sha256` is the digest that was logged when it was. */
export interface RebuiltRequest {
  readonly turn: number;
  readonly step: number;
  readonly request: ComposedRequest;
  readonly sha256?: string;
}

interface Boundary {
  readonly turn: number;
  readonly step: number;
  readonly history: readonly Message[];
  sha256?: string;
}

/**
 * Every request of a log in one pass, in order: the history just before its `step/start`, under the header that was
 * last logged by the end of that step. A step that ended before any header was known sent nothing.
 */
export function* rebuildRequests(events: readonly SessionEvent[]): Generator<RebuiltRequest> {
  const surface = new SurfaceFold((seq) => events[seq]);
  const history = new History(surface, (seq) => events[seq]);
  let header: EpochHeader | undefined;
  let boundary: Boundary | undefined;
  for (const event of events) {
    if (event.type === 'step/start') boundary = { ...event.data, history: history.messages() };
    else if (event.type === 'request/header') header = event.data.header;
    else if (event.type === 'request/digest' && boundary) boundary.sha256 = event.data.sha256;
    else if (event.type === 'step/end' && boundary) {
      if (header) yield rebuilt(header, boundary);
      boundary = undefined;
    }
    surface.commit(surface.plan(event));
  }
  if (header && boundary) yield rebuilt(header, boundary);
}

function rebuilt(header: EpochHeader, { history, ...boundary }: Boundary): RebuiltRequest {
  return { ...boundary, request: composeRequest(header, history) };
}

/** The request of one step, or undefined if the log has no such step or the step sent none. */
export function rebuildRequest(
  events: readonly SessionEvent[],
  turn: number,
  step: number,
): ComposedRequest | undefined {
  for (const found of rebuildRequests(events)) if (found.turn === turn && found.step === step) return found.request;
  return undefined;
}
