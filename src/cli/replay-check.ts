import { rebuildRequests } from '../harness/session/rebuild-request.ts';
import type { RebuiltRequest } from '../harness/session/rebuild-request.ts';
import { RequestDigester } from '../harness/session/request-digest.ts';
import { isSurfaceEvent } from '../harness/session/surface-event.ts';
import type { SessionEvent } from '../harness/session/types.ts';

export interface Suspect {
  readonly seq: number;
  readonly type: string;
}
/** `unsent`: the step ended before its request went out. `unproven`: the model answered, but no digest says to what. */
export type CheckStatus = 'equal' | 'differs' | 'unsent' | 'unproven';

export interface CheckedRequest {
  readonly turn: number;
  readonly step: number;
  readonly messages: number;
  /** The digest that was logged when it was sent, and that of what the log gives now. */
  readonly sent: string | undefined;
  readonly rebuilt: string;
  readonly status: CheckStatus;
  /** Where it differs: the events one of which was changed. */
  readonly suspects: readonly Suspect[];
}

/** Rebuilds every request of a log, and says of each whether it is the one that was sent. Pure. */
export function checkRequests(events: readonly SessionEvent[]): CheckedRequest[] {
  const digester = new RequestDigester();
  const places = placesOf(events);
  const requests = [...rebuildRequests(events)].map((rebuilt) => {
    const place = places.get(`${rebuilt.turn}/${rebuilt.step}`)!;
    const sha256 = digester.digest(rebuilt.request);
    return { rebuilt, place, sha256, status: statusOf(rebuilt, sha256, place) };
  });
  let proven: Place = { start: -1, end: -1, isAnswered: false };
  return requests.map(({ rebuilt, place, sha256, status }, index) => {
    const { turn, step, request, sha256: sent } = rebuilt;
    const isCarriedOn = status === 'differs' && isWholeIn(requests[index + 1], rebuilt);
    const suspects = status === 'differs' ? suspectsIn(events, { proven, place, onlyDigest: isCarriedOn }) : [];
    if (status === 'equal') proven = place;
    return { turn, step, messages: request.messages.length, sent, rebuilt: sha256, status, suspects };
  });
}

interface Place {
  readonly start: number;
  end: number;
  isAnswered: boolean;
}

/** Where each step stands in the log. */
function placesOf(events: readonly SessionEvent[]): Map<string, Place> {
  const places = new Map<string, Place>();
  let open: Place | undefined;
  for (const { seq, type, data } of events) {
    if (type === 'step/start')
      places.set(`${data.turn}/${data.step}`, (open = { start: seq, end: seq, isAnswered: false }));
    if (open) open.end = seq;
    if (open && (type === 'assistant/chunk' || type === 'assistant/message')) open.isAnswered = true;
    if (type === 'step/end') open = undefined;
  }
  return places;
}

function statusOf({ sha256: sent }: RebuiltRequest, sha256: string, { isAnswered }: Place): CheckStatus {
  if (sent === undefined) return isAnswered ? 'unproven' : 'unsent';
  return sent === sha256 ? 'equal' : 'differs';
}

/** The next request is proven and holds all of this one: so this one is as it was sent, and its digest was changed. */
function isWholeIn(
  next: { rebuilt: RebuiltRequest; status: CheckStatus } | undefined,
  { request }: RebuiltRequest,
): boolean {
  if (next?.status !== 'equal') return false;
  const { messages, ...header } = request;
  const { messages: more, ...nextHeader } = next.rebuilt.request;
  return (
    JSON.stringify(header) === JSON.stringify(nextHeader) && messages.every((message, index) => message === more[index])
  );
}

function suspectsIn(
  events: readonly SessionEvent[],
  { proven, place, onlyDigest }: { proven: Place; place: Place; onlyDigest: boolean },
): Suspect[] {
  const isSuspect = (event: SessionEvent) => {
    if (event.type === 'request/digest') return event.seq > place.start;
    if (onlyDigest) return false;
    if (event.type === 'request/header') return event.seq > proven.end;
    return isSurfaceEvent(event) && event.seq < place.start;
  };
  return events
    .slice(proven.start + 1, place.end + 1)
    .filter(isSuspect)
    .map(({ seq, type }) => ({ seq, type }));
}
