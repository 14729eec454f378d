import type { Config } from '../../../config/config.ts';
import type { JsonValue } from '../../../harness/session/types.ts';
import type { AnswerValue } from '../../../triggers/intake.ts';
import type { PermissionFact } from '../../../triggers/rights.ts';
import { atLeast, mayApprove } from '../../../triggers/rights.ts';
import type { HumanAnswer, HumanRequest, RequestState } from '../../../store/records.ts';
import { UNFIT_TEXTS } from '../../../publish/request/unfit-texts.ts';
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
  /** False where somebody else may have written the words: an edited comment. */
  readonly isOwn?: boolean;
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
  if (data.kind === 'question')
    return (request.tool === PLAN_TOOL ? judgeForPlan(data, given) : undefined) ?? judgeForQuestion(data, given);
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

/** A denial is never a yes, whatever its reason says. Undefined for answers that any question takes. */
function judgeForPlan({ questions: [plan] }: QuestionData, given: Given): Judgement | undefined {
  const { value } = given;
  const { id, options: [yes, no] = [] } = plan!;
  if (value.kind === 'approve') return settle('answered', given, { answers: [{ id, selected: [yes!.label] }] });
  if (value.kind !== 'deny') return undefined;
  const reason = value.reason?.trim();
  const answer: JsonValue = reason ? { id, selected: [], custom: reason } : { id, selected: [no!.label] };
  return settle('answered', given, { answers: [answer] });
}

/** A yes that stands beside a no is no yes. */
function judgeApprovalBoxes(ticked: readonly number[], checked: readonly number[], given: Given): Judgement {
  if (checked.includes(1)) return settle('rejected', given, undefined);
  return ticked.includes(0) ? settle('allowed', given, undefined) : { kind: 'collect' };
}

function judgeForQuestion({ questions, language }: QuestionData, given: Given): Judgement {
  const { value } = given;
  const texts = UNFIT_TEXTS[language];
  if (value.kind === 'approve' || value.kind === 'deny' || value.kind === 'reaction') return { kind: 'other-kind' };
  const read =
    value.kind === 'text' ? readTextAnswer(questions, value.text, texts) : readBoxAnswer(questions, value, texts);
  if (read.kind === 'collecting') return { kind: 'collect' };
  if (read.kind === 'unfit') return read;
  return settle('answered', given, read.answer as unknown as JsonValue);
}

function settle(
  state: Exclude<RequestState, 'pending'>,
  { actor, permission, isOwn = true, how, url, at }: Given,
  value: JsonValue | undefined,
): Judgement {
  const { id, login } = actor;
  const standing = { permission, trusted: isOwn && atLeast(permission, 'write') };
  return { kind: 'settle', state, answer: { actor: { id, login }, standing, how, value, url, at } };
}
