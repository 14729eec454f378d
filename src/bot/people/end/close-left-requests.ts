import type { Agent } from '../../../harness/agent/types.ts';
import type { Context } from '../../../harness/kernel/context.ts';
import type { SessionEvent } from '../../../harness/session/types.ts';
import { openApprovals } from '../../../seams/approval/open-approvals.ts';
import type { HumanRequest, HumanRequests } from '../../../store/records.ts';
import { answerEvent } from '../ask/ask-people.ts';
import '../../session/session-events.ts';

/** A prompt that comes instead of an answer: in its turn the log learns what became of the questions left open (K4). */
export function closeLeftRequests(agentCtx: Context, requests: HumanRequests, now: () => Date): void {
  agentCtx.on('agent/prompt-submit', async (agent, _content, _source, _signal, next) => {
    await closeLeft(agent, requests, now);
    return next();
  });
}

async function closeLeft({ session }: Agent, requests: HumanRequests, now: () => Date): Promise<void> {
  const turn = session.openTurn ?? session.lastTurn;
  for (const id of unanswered(session.events)) {
    const request = await requests.get(id);
    session.append('human/answer', endOf(request, { id, turn, at: now().getTime() }));
  }
  for (const { data } of openApprovals(session.events))
    session.append('approval/decided', { id: data.id, outcome: 'cancelled' });
}

function endOf(request: HumanRequest | undefined, { id, turn, at }: { id: string; turn: number; at: number }) {
  if (request?.answer) return answerEvent(request, turn);
  return { turn, request: id, how: 'withdrawn' as const, value: 'lost', at };
}

function unanswered(events: readonly SessionEvent[]): string[] {
  const answered = new Set(events.flatMap((event) => (event.type === 'human/answer' ? [event.data.request] : [])));
  return events.flatMap((event) =>
    event.type === 'human/asked' && !answered.has(event.data.request) ? [event.data.request] : [],
  );
}
