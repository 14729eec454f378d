import type { HumanRequest } from '../../store/records.ts';
import type { WithdrawnWhy } from '../../publish/request/request-texts.ts';

/** Whether people were asked about what a job publishes, and not about a call of a tool. Pure. */
export function isPublication({ tool, callId }: HumanRequest): boolean {
  return tool === 'publish' && callId === undefined;
}

const PLAN_CHANGED: WithdrawnWhy = 'plan-changed';

/** Whether it was withdrawn because the branch moved on: then it is asked anew with the new plan (N7). Pure. */
export function isForOtherPlan({ state, answer }: HumanRequest): boolean {
  return state === 'cancelled' && answer?.how === 'withdrawn' && answer.value === PLAN_CHANGED;
}
