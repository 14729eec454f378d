import type { FinishedCall } from './finished-calls.ts';

/** What the last call did to a run of calls that lead nowhere. */
export type LoopSign =
  | { readonly kind: 'repeated'; readonly times: number; readonly call: string }
  | { readonly kind: 'alternating' }
  | { readonly kind: 'stuck'; readonly why: string };

const FIRST_NOTE = 3;
const NAMED_NOTE = 5;
const REPEATED_STUCK = 8;
const ALTERNATING = 8;
const SHOWN_CHARS = 500;

/** The sign that stands at the end of these calls, if the last one made it; each sign is given once (PR36). Pure. */
export function findLoop(calls: readonly FinishedCall[]): LoopSign | undefined {
  const times = repetitions(calls);
  const last = calls.at(-1);
  if (!last) return undefined;
  const call = last.call.slice(0, SHOWN_CHARS);
  if (times === REPEATED_STUCK) return { kind: 'stuck', why: `made the same call ${times} times in a row: ${call}` };
  if (times === FIRST_NOTE || times === NAMED_NOTE) return { kind: 'repeated', times, call };
  const rounds = alternations(calls);
  if (rounds === 1) return { kind: 'alternating' };
  return rounds > 1 ? { kind: 'stuck', why: 'went to and fro between the same two calls' } : undefined;
}

function repetitions(calls: readonly FinishedCall[]): number {
  const last = calls.at(-1);
  const other = calls.findLastIndex((call) => !isSame(call, last));
  return calls.length - 1 - other;
}

/** How many stretches of eight have been completed so far; 0 where the last call completes none. */
function alternations(calls: readonly FinishedCall[]): number {
  let length = 0;
  let rounds = 0;
  for (let at = 0; at < calls.length; at++) {
    length = length === ALTERNATING ? 1 : nextLength(calls, at, length);
    if (length === ALTERNATING) rounds += 1;
  }
  return length === ALTERNATING ? rounds : 0;
}

/** The call goes on with what the one before the last brought, or begins a new stretch with the last one, or alone. */
function nextLength(calls: readonly FinishedCall[], at: number, length: number): number {
  if (!goesOtherThan(calls, at)) return 1;
  return length >= 2 && isSame(calls[at], calls[at - 2]) ? length + 1 : 2;
}

function goesOtherThan(calls: readonly FinishedCall[], at: number): boolean {
  return at > 0 && calls[at]?.call !== calls[at - 1]?.call;
}

function isSame(one: FinishedCall | undefined, other: FinishedCall | undefined): boolean {
  return one !== undefined && one.call === other?.call && one.result === other.result;
}
