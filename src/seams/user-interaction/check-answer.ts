import type { AskUserQuestionAnswer, AskUserQuestionAnswerItem, AskUserQuestionItem } from './types.ts';
import { UserInteractionError } from './user-interaction-error.ts';

/**
 * An answer in the form callers rely on: ids that were asked, labels that were offered, text overriding a single
 * choice, absent fields absent. A question nobody answered stays as skipped beside others that somebody did.
 * @throws UserInteractionError `INVALID_ANSWER`, `NO_ANSWER`
 */
export function checkAnswer(
  questions: readonly AskUserQuestionItem[],
  { answers, answeredBy }: AskUserQuestionAnswer,
): AskUserQuestionAnswer {
  const checked = answers.map((answer) => checkItem(questions, answer));
  if (new Set(checked.map(({ id }) => id)).size !== checked.length) throw invalid('a question was answered twice');
  if (!checked.some(({ selected, custom }) => selected.length > 0 || custom !== undefined))
    throw new UserInteractionError('nobody chose an option or wrote an answer', 'NO_ANSWER');
  return { answers: checked, ...(answeredBy && { answeredBy }) };
}

function checkItem(
  questions: readonly AskUserQuestionItem[],
  { id, selected, custom }: AskUserQuestionAnswerItem,
): AskUserQuestionAnswerItem {
  const question = questions.find((asked) => asked.id === id);
  if (!question) throw invalid(`"${id}" was not asked`);
  const labels = (question.options ?? []).map(({ label }) => label);
  const unknown = selected.find((label) => !labels.includes(label));
  if (unknown !== undefined) throw invalid(`"${unknown}" was not offered`);
  const text = custom?.trim() ? custom : undefined;
  const chosen = question.multiSelect ? [...selected] : text === undefined ? [...selected] : [];
  if (!question.multiSelect && chosen.length > 1) throw invalid(`"${id}" takes one option`);
  return { id, selected: chosen, ...(text !== undefined && { custom: text }) };
}

function invalid(message: string): UserInteractionError {
  return new UserInteractionError(`the answer does not fit the question: ${message}`, 'INVALID_ANSWER');
}
