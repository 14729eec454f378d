import type { Config } from '../../../config/config.ts';
import type { JsonValue } from '../../../harness/session/types.ts';
import type { AnswerValue, PermissionFact } from '../../../triggers/decide.ts';
import { mayApprove } from '../../../triggers/rights.ts';
import type { HumanAnswer, HumanRequest, RequestState } from '../../../store/records.ts';
import { readBoxAnswer, readTextAnswer } from './read-answer.ts';
import { dataOf } from '../request-data.ts';
import type { QuestionData } from '../request-data.ts';

/** What somebody gave as an answer, by whatever way. */
export interface Given {
  readonly value: AnswerValue | { readonly kind: 'reaction'; readonly content: '+1' | '-1' };
  readonly how: Exclude<HumanAnswer['how'], 'timeout' | 'withdrawn'>;
  readonly actor: { readonly id: number; readonly login: string; readonly isBot?: boolean };
  /** As it was looked up when the answer came. */
  readonly permission: PermissionFact;
  readonly url: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

export type Judgement =
  | { readonly kind: 'settle'; readonly state: Exclude<RequestState, 'pending'>; readonly answer: HumanAnswer }
  /** Ticks that are to be submitted. */
  | { readonly kind: 'collect' }
  | { readonly kind: 'refuse'; readonly why: 'not-allowed' | 'could-not-check' | 'not-yours' }
  | { readonly kind: 'unfit'; readonly why: string }
  | { readonly kind: 'other-kind' };

export type Rules = Pick<Config, 'permissions' | 'approval'>;

/** What an answer to a request that is still open comes to (A2, N2, N3). Pure. */
export function judgeAnswer(request: HumanRequest, given: Given, rules: Rules): Judgement {
  const { actor, permission, value } = given;
  if (permission === 'could-not-check') return { kind: 'refuse', why: 'could-not-check' };
  if (!mayApprove({ permission, actor }, rules)) return { kind: 'refuse', why: 'not-allowed' };
  const data = dataOf(request);
  if (data.kind === 'question') return judgeForQuestion(data, request.tool === PLAN_TOOL ? asPlanAnswer(given) : given);
  if (rules.approval.fourEyes && actor.id === request.askedOf.id) return { kind: 'refuse', why: 'not-yours' };
  switch (value.kind) {
    case 'approve':
      return settle('allowed', given, undefined);
    case 'deny':
      return settle('rejected', given, value.reason);
    case 'reaction':
      return settle(value.content === '+1' ? 'allowed' : 'rejected', given, undefined);
    case 'boxes':
      return judgeApprovalBoxes(value.ticked, value.checked, given);
    case 'text':
      return { kind: 'other-kind' };
  }
}

/** Its one question is whether the plan is approved, so that the words for approvals fit it, too (user-interaction.md N11). */
const PLAN_TOOL = 'submit_plan';

function asPlanAnswer(given: Given): Given {
  const { value } = given;
  if (value.kind === 'approve') return { ...given, value: { kind: 'text', text: '1' } };
  return value.kind === 'deny' ? { ...given, value: { kind: 'text', text: value.reason ?? '2' } } : given;
}

/** A yes that stands beside a no is no yes. */
function judgeApprovalBoxes(ticked: readonly number[], checked: readonly number[], given: Given): Judgement {
  if (checked.includes(1)) return settle('rejected', given, undefined);
  return ticked.includes(0) ? settle('allowed', given, undefined) : { kind: 'collect' };
}

function judgeForQuestion({ questions }: QuestionData, given: Given): Judgement {
  const value = asWords(given.value, questions) ?? given.value;
  if (value.kind === 'approve' || value.kind === 'deny' || value.kind === 'reaction') return { kind: 'other-kind' };
  const read =
    value.kind === 'text'
      ? readTextAnswer(questions, value.text)
      : readBoxAnswer(questions, value.ticked, value.checked);
  if (read.kind === 'collecting') return { kind: 'collect' };
  if (read.kind === 'unfit') return read;
  return settle('answered', given, read.answer as unknown as JsonValue);
}

const [YES, NO] = ['Approve', 'Keep planning'];

/** A plan is a question that can be approved, and be denied with what to change (N11). */
function asWords(value: Given['value'], [question, ...others]: QuestionData['questions']): Given['value'] | undefined {
  const isPlan = others.length === 0 && question?.options?.some(({ label }) => label === YES);
  if (!isPlan) return undefined;
  if (value.kind === 'approve') return { kind: 'text', text: YES! };
  return value.kind === 'deny' ? { kind: 'text', text: value.reason ?? NO! } : undefined;
}

function settle(
  state: Exclude<RequestState, 'pending'>,
  { actor, how, url, at }: Given,
  value: JsonValue | undefined,
): Judgement {
  const { id, login } = actor;
  return { kind: 'settle', state, answer: { actor: { id, login }, how, value, url, at } };
}
