import { createHash } from 'node:crypto';
import type { AskUserQuestionAnswer, AskUserQuestionAnswerItem } from '../../../seams/user-interaction/types.ts';
import type { HumanRequest } from '../../../store/records.ts';
import { dataBlock } from '../../context/data-block.ts';

type Told = Pick<HumanRequest, 'id' | 'answer'>;

/**
 * What the model is told of a question's answer (user-interaction.md N3): whose free text it is, and with what standing;
 * text that is not a trusted person's own is framed as data, like any comment. The same bytes each time. Pure.
 */
export function toldAnswer({ id, answer }: Told): AskUserQuestionAnswer {
  const { answers } = answer?.value as unknown as AskUserQuestionAnswer;
  const { actor, standing } = answer!;
  const isWritten = answers.some(({ custom }) => custom !== undefined);
  return {
    answers: answers.map((given) => (standing?.trusted === false ? framed(given, id) : given)),
    ...(isWritten && actor && standing && { answeredBy: { login: actor.login, permission: standing.permission } }),
  };
}

/** A reason that is not a trusted person's own words is not told at all: a refusal needs none. Pure. */
export function toldReason({ answer }: Told): string | undefined {
  const isTold = typeof answer?.value === 'string' && answer.value !== '' && answer.standing?.trusted !== false;
  return isTold ? (answer.value as string) : undefined;
}

function framed(given: AskUserQuestionAnswerItem, request: string): AskUserQuestionAnswerItem {
  const { custom: text } = given;
  if (text === undefined) return given;
  let draws = 0;
  const drawId = () => hashOf(`${request} ${given.id} ${draws++}`);
  return { ...given, custom: dataBlock({ kind: 'comment', text }, drawId).text };
}

/** Drawn again where the text holds it, so that knowing it helps nobody to close the block. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
