import type { SessionEvent, SessionEventType } from './types.ts';

interface Seen {
  /** How many events were looked at, and the last of them. */
  length: number;
  last: SessionEvent | undefined;
  readonly latest: Map<SessionEventType, SessionEvent>;
}

/** By the first event of a log, which is one object however often the log is read. */
const seen = new WeakMap<SessionEvent, Seen>();

/** The last event of a type in a growing log. Each event is looked at once, so that asking in every step stays cheap. */
export function lastOfType<T extends SessionEventType>(
  events: readonly SessionEvent[],
  type: T,
): SessionEvent<T> | undefined {
  const [first] = events;
  if (!first) return undefined;
  const known = seen.get(first) ?? { length: 0, last: undefined, latest: new Map() };
  if (!goesOn(events, known)) return events.findLast((event) => event.type === type) as SessionEvent<T> | undefined;
  for (const event of events.slice(known.length)) known.latest.set(event.type, event);
  known.length = events.length;
  known.last = events.at(-1);
  seen.set(first, known);
  return known.latest.get(type) as SessionEvent<T> | undefined;
}

/** Not so for an older state of the log, and for a fork of it. */
function goesOn(events: readonly SessionEvent[], { length, last }: Seen): boolean {
  return events.length >= length && (length === 0 || events[length - 1] === last);
}
