import { canonicalJson } from '../../harness/session/json.ts';
import type { JsonValue, SessionEvent } from '../../harness/session/types.ts';

/** A call that has its result, in a form that can be compared. */
export interface FinishedCall {
  readonly name: string;
  readonly arguments: JsonValue;
  /** Name and canonical arguments. */
  readonly call: string;
  readonly result: string;
  readonly isError: boolean;
}

/** The calls of the open turn since a person last spoke, in order; keeping the list of things to do counts as none. Pure. */
export function finishedCalls(events: readonly SessionEvent[]): FinishedCall[] {
  const start = events.findLastIndex((event) => event.type === 'turn/start' || isPersonsWord(event));
  const turn = events.slice(start + 1);
  const results = new Map(
    turn.flatMap((event) => (event.type === 'tool/result' ? [[event.data.callId, event.data]] : [])),
  );
  return turn.flatMap((event): FinishedCall[] => {
    if (event.type !== 'tool/call' || event.data.name === 'todo_write') return [];
    const { name, callId } = event.data;
    const result = results.get(callId);
    if (!result) return [];
    const input = parsed(event.data.arguments);
    const call = `${name} ${canonicalJson(input)}`;
    return [{ name, arguments: input, call, result: JSON.stringify(result.content), isError: result.isError }];
  });
}

function isPersonsWord(event: SessionEvent): boolean {
  return event.type === 'steering/message' && event.data.source.kind !== 'plugin';
}

/** Arguments that are no JSON are compared as they came. */
function parsed(rawArguments: string): JsonValue {
  try {
    return JSON.parse(rawArguments) as JsonValue;
  } catch {
    return rawArguments;
  }
}
