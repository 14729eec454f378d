import type { Agent } from '../../../harness/agent/types.ts';
import type { CallId } from '../../../harness/llm/types.ts';
import type { SessionEvent } from '../../../harness/session/types.ts';
import { pathsOf } from './approval-rules.ts';
import type { RuledAction } from './approval-rules.ts';

export type LoggedCall = SessionEvent<'tool/call'>['data'];

/** The call as the model made it: what is shown and judged is what will run. */
export function loggedCall({ session }: Agent, callId: CallId): LoggedCall | undefined {
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const event = session.eventAt(seq);
    if (event?.type === 'tool/call' && event.data.callId === callId) return event.data;
  }
  return undefined;
}

export function ruledCall({ name, arguments: raw }: LoggedCall): RuledAction {
  return { tool: name, arguments: raw, paths: pathsOf(raw) };
}
