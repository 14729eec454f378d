import { boxesOf } from '../../../publish/request/request-boxes.ts';
import type {
  AskUserQuestionAnswer,
  AskUserQuestionAnswerItem,
  AskUserQuestionItem,
} from '../../../seams/user-interaction/types.ts';

/** `collecting`: ticks that wait for the box that submits them. `unfit` says why, for whoever answered. */
export type ReadAnswer =
  | { readonly kind: 'answer'; readonly answer: AskUserQuestionAnswer }
  | { readonly kind: 'collecting' }
  | { readonly kind: 'unfit'; readonly why: string };

type Questions = readonly AskUserQuestionItem[];

/** What a person wrote, as an answer: numbers and labels choose, anything else is an answer in own words. Pure. */
export function readTextAnswer(questions: Questions, text: string): ReadAnswer {
  const [only, ...others] = questions;
  if (text.trim() === '') return { kind: 'unfit', why: 'it is empty' };
  if (only && others.length === 0) return one(answerOne(only, text.trim()));
  return answerEach(questions, text);
}

/** What boxes say: one single choice at once, everything else when it is submitted. Pure. */
export function readBoxAnswer(questions: Questions, ticked: readonly number[], checked: readonly number[]): ReadAnswer {
  const boxes = boxesOf({ kind: 'question', questions });
  const at = (places: readonly number[]) => places.flatMap((place) => boxes[place] ?? []);
  const hasSubmit = boxes.some(({ kind }) => kind === 'submit');
  if (hasSubmit && !at(ticked).some(({ kind }) => kind === 'submit')) return { kind: 'collecting' };
  const chosen = at(hasSubmit ? checked : ticked);
  const answers = questions.map(({ id }) => ({
    id,
    selected: chosen.flatMap((box) => (box.kind === 'option' && box.question === id ? [box.label] : [])),
  }));
  const crowded = answers.find(({ id, selected }) => selected.length > 1 && !find(questions, id)?.multiSelect);
  if (crowded) return { kind: 'unfit', why: `"${find(questions, crowded.id)?.question}" takes one option` };
  if (answers.every(({ selected }) => selected.length === 0)) return { kind: 'unfit', why: 'nothing is ticked' };
  return { kind: 'answer', answer: { answers } };
}

function find(questions: Questions, id: string): AskUserQuestionItem | undefined {
  return questions.find((question) => question.id === id);
}

type ReadOne = AskUserQuestionAnswerItem | string;

function one(answer: ReadOne): ReadAnswer {
  return typeof answer === 'string'
    ? { kind: 'unfit', why: answer }
    : { kind: 'answer', answer: { answers: [answer] } };
}

/** Returns why it does not fit where it does not. */
function answerOne({ id, options = [], multiSelect }: AskUserQuestionItem, text: string): ReadOne {
  if (options.length === 0) return { id, selected: [], custom: text };
  const exact = options.find(({ label }) => isSame(label, text));
  if (exact) return { id, selected: [exact.label] };
  if (!/^\d+(\s*[,，]\s*\d+)*$/.test(text)) return labelsOf(text, options, multiSelect, id);
  const numbers = [...new Set(text.split(/[,，]/).map(Number))];
  const labels = numbers.map((number) => options[number - 1]?.label);
  const unknown = numbers.find((_number, at) => labels[at] === undefined);
  if (unknown !== undefined) return `there is no option ${unknown}`;
  if (labels.length > 1 && !multiSelect) return 'only one option can be chosen';
  return { id, selected: labels as string[] };
}

/** Several labels, separated by commas, of a question that takes several; else it is an answer in own words. */
function labelsOf(
  text: string,
  options: NonNullable<AskUserQuestionItem['options']>,
  multiSelect: boolean | undefined,
  id: string,
): AskUserQuestionAnswerItem {
  const parts = text.split(/[,，]/).map((part) => options.find(({ label }) => isSame(label, part.trim()))?.label);
  const known = parts.flatMap((label) => label ?? []);
  if (multiSelect && known.length === parts.length) return { id, selected: [...new Set(known)] };
  return { id, selected: [], custom: text };
}

function isSame(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.toLowerCase();
}

/** `q1=2`, `q2="own words"`, `q3=skip`; a quote inside is doubled or escaped. */
const PAIR = /([\w.-]+)\s*=\s*(?:"((?:[^"\\]|\\.|"")*)"|“([^”]*)”|(\S+))/gsu;

function answerEach(questions: Questions, text: string): ReadAnswer {
  const answers = new Map<string, AskUserQuestionAnswerItem>();
  for (const [, key = '', quoted, curly, bare] of text.matchAll(PAIR)) {
    const question = questions[Number(/^q(\d+)$/i.exec(key)?.[1] ?? 0) - 1] ?? find(questions, key);
    if (!question) return { kind: 'unfit', why: `there is no question ${key}` };
    const given = answerGiven(question, quoted?.replaceAll(/\\(.)|"(")/gs, '$1$2') ?? curly ?? bare ?? '', bare);
    if (typeof given === 'string') return { kind: 'unfit', why: `${key}: ${given}` };
    answers.set(question.id, given);
  }
  const left = text.replaceAll(PAIR, '').replaceAll(/[\s,;，；]/g, '');
  if (left !== '') return { kind: 'unfit', why: `"${left.slice(0, 40)}" belongs to no question` };
  const missing = questions.findIndex(({ id }) => !answers.has(id));
  if (missing >= 0) return { kind: 'unfit', why: `q${missing + 1} is not answered` };
  return { kind: 'answer', answer: { answers: questions.map(({ id }) => answers.get(id)!) } };
}

function answerGiven(question: AskUserQuestionItem, text: string, bare: string | undefined): ReadOne {
  if (bare !== undefined && /^(skip|-)$/i.test(bare)) return { id: question.id, selected: [] };
  return text.trim() === '' ? 'it is empty' : answerOne(question, text.trim());
}
