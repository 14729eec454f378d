import type { JsonValue } from '../../harness/session/types.ts';
import type { Language } from '../../publish/language.ts';
import type { RequestView, Settled, ShownAction } from '../../publish/request/request-view.ts';
import { REQUEST_TEXTS } from '../../publish/request/request-texts.ts';
import type { WithdrawnWhy } from '../../publish/request/request-texts.ts';
import type { AskUserQuestionAnswer, AskUserQuestionItem } from '../../seams/user-interaction/types.ts';
import type { HumanRequest } from '../../store/records.ts';

interface CommonData {
  readonly language: Language;
  /** The commit the work tree stands on, and the digest of the changes kept with the question; null where there are none. */
  readonly headSha: string;
  readonly snapshot: string | null;
}
export interface ApprovalData extends CommonData {
  readonly kind: 'approval';
  /** What is shown: secrets are out of it already. */
  readonly shown: ShownAction;
  readonly reason?: string;
  readonly touches: readonly string[];
}
export interface QuestionData extends CommonData {
  readonly kind: 'question';
  readonly questions: readonly AskUserQuestionItem[];
}
/** What a stored request holds as its `data`. */
export type RequestData = ApprovalData | QuestionData;

export function dataOf({ data }: Pick<HumanRequest, 'data'>): RequestData {
  return data as unknown as RequestData;
}

/** The comment of a request as it has to look now. Pure. */
export function viewOf(request: HumanRequest, checked: readonly number[] = []): RequestView {
  const data = dataOf(request);
  const { id, askedOf, expiresAt, tool } = request;
  const facts = {
    ...{ id, language: data.language, askedOf: askedOf.login, expiresAt, checked },
    settled: settledOf(request),
  };
  if (data.kind === 'question') return { ...facts, kind: 'question', questions: data.questions };
  const { shown, reason, touches, headSha } = data;
  return { ...facts, kind: 'approval', tool, shown, reason, touches, headSha };
}

export function settledOf(request: HumanRequest): Settled | undefined {
  const { state, answer } = request;
  if (state === 'pending' || !answer) return undefined;
  const { actor, how, at, value } = answer;
  const data = dataOf(request);
  return {
    ...{ state, by: actor?.login, how, at },
    reason: reasonOf(value, how, data.language),
    answers: data.kind === 'question' && state === 'answered' ? answerLines(data.questions, value) : undefined,
  };
}

function reasonOf(value: JsonValue | undefined, how: Settled['how'], language: Language): string | undefined {
  if (typeof value !== 'string') return undefined;
  return how === 'withdrawn' ? REQUEST_TEXTS[language].withdrawn[value as WithdrawnWhy] : value;
}

function answerLines(questions: readonly AskUserQuestionItem[], value: JsonValue | undefined): string[] {
  const { answers } = value as unknown as AskUserQuestionAnswer;
  return answers.map(({ id, selected, custom }) => {
    const question = questions.find((asked) => asked.id === id)?.question ?? id;
    const given = [...selected, ...(custom === undefined ? [] : [custom])];
    return `${question} — ${given.length > 0 ? given.join(', ') : '–'}`;
  });
}
