import type { AskUserQuestionItem } from '../../seams/user-interaction/types.ts';
import type { BodyPart } from '../markdown/body.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { boxesOf } from './request-boxes.ts';
import type { RequestTexts } from './request-texts.ts';
import type { QuestionView } from './request-view.ts';

/** What somebody is asked: each question with its options as boxes, and the ways to answer (Q1). Pure. */
export function questionParts(view: QuestionView, texts: RequestTexts): BodyPart[] {
  const { questions, settled } = view;
  const boxes = new Boxes(view);
  const parts = questions.flatMap((question, at) => [
    { kind: 'markdown' as const, text: headText(question, at, questions.length) },
    ...(question.detail ? [{ kind: 'folded' as const, summary: texts.detail, text: question.detail }] : []),
    ...optionParts(question, boxes),
  ]);
  return settled ? parts : [...parts, { kind: 'markdown', text: waysText(view, boxes, texts) }];
}

function headText({ header, question }: AskUserQuestionItem, at: number, count: number): string {
  const key = count > 1 ? `\`q${at + 1}\` ` : '';
  const head = header ? `**${inertInline(header)}** ` : '';
  return `${key}${head}${inertInline(question)}`;
}

function optionParts({ options = [], multiSelect }: AskUserQuestionItem, boxes: Boxes): BodyPart[] {
  if (options.length === 0) return [];
  const lines = options.map(({ label, description }, at) => {
    const about = description ? `: ${inertInline(description)}` : '';
    return boxes.next(`**${at + 1}** ${inertInline(label)}${about}`);
  });
  return [{ kind: 'markdown', text: [...lines, ...(multiSelect ? [''] : [])].join('\n') }];
}

function waysText({ id, questions }: QuestionView, boxes: Boxes, texts: RequestTexts): string {
  const hasSubmit = boxesOf({ kind: 'question', questions }).some(({ kind }) => kind === 'submit');
  const submit = hasSubmit ? [boxes.next(texts.submitBox), ''] : [];
  const ways = questions.length > 1 ? texts.answersWays(id) : texts.answerWays(id, questions[0]!);
  return [...submit, ways].join('\n');
}

/** Draws boxes in the order they are counted by; once it is settled, as plain list items. */
class Boxes {
  readonly #view: QuestionView;
  #place = 0;

  constructor(view: QuestionView) {
    this.#view = view;
  }

  next(text: string): string {
    const { checked = [], settled } = this.#view;
    const isChecked = checked.includes(this.#place++);
    return settled ? `- ${text}` : `- [${isChecked ? 'x' : ' '}] ${text}`;
  }
}
