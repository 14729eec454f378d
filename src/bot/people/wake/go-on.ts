import type { AgentHandle } from '../../../harness/agent/types.ts';
import type { HumanRequest } from '../../../store/records.ts';
import type { Turn } from '../../../publish/progress/surface.ts';
import { answerTrigger } from '../../session/turn-trigger.ts';
import { settleAnswer } from '../answer/settle-answer.ts';
import type { AnswerFacts } from '../answer/settle-answer.ts';

/** Opens the turn that goes on with an answer (K2). Throws `NOT_PARKED` where nothing waits any more. */
export function goOn(handle: AgentHandle, turn: Turn, request: HumanRequest, facts: AnswerFacts): void {
  handle.resumeParked({
    trigger: answerTrigger(turn, request),
    settle: (parked) => settleAnswer(handle.agent, request, facts, parked),
  });
}
