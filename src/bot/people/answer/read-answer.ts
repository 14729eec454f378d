import { boxesOf } from '../../../publish/request/request-boxes.ts';
import { UNFIT_TEXTS } from '../../../publish/request/unfit-texts.ts';
import type { UnfitTexts } from '../../../publish/request/unfit-texts.ts';
import { readChoice } from './read-choice.ts';
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
export function readTextAnswer(questions: Questions, text: string, texts: UnfitTexts = UNFIT_TEXTS.en): ReadAnswer {
  const [only, ...others] = questions;
  if (text.trim() === '') return unfit(texts.empty);
  if (only && others.length === 0) return one(answerOne(only, text.trim(), texts));
  return answerEach(questions, text, texts);
}

/** What boxes say: one single choice at once, everything else when it is submitted. Pure. */
export function readBoxAnswer(
  questions: Questions,
  { ticked, checked }: { readonly ticked: readonly number[]; readonly checked: readonly number[] },
  texts: UnfitTexts = UNFIT_TEXTS.en,
): ReadAnswer {
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
  if (crowded) return unfit(texts.takesOne(find(questions, crowded.id)?.question ?? ''));
  if (answers.every(({ selected }) => selected.length === 0)) return unfit(texts.nothingTicked);
  return { kind: 'answer', answer: { answers } };
}

function unfit(why: string): ReadAnswer {
  return { kind: 'unfit', why };
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
function answerOne({ id, options = [], multiSelect }: AskUserQuestionItem, text: string, texts: UnfitTexts): ReadOne {
  if (options.length === 0) return { id, selected: [], custom: text };
  const choice = readChoice(options, text);
  if (choice.kind === 'unknown') return texts.noOption(choice.number);
  const isTooMuch = choice.kind === 'labels' && choice.labels.length > 1 && !multiSelect;
  if (isTooMuch && choice.byNumbers) return texts.onlyOne;
  if (choice.kind === 'own-words' || isTooMuch) return { id, selected: [], custom: text };
  return { id, selected: [...choice.labels] };
}

/** `q1=2`, `q2="own words"`, `q3=skip`; a quote inside is doubled or escaped. */
const PAIR =
  /(?<![\w.-])([\w.-]+)\s*[=＝]\s*(?:"((?:[^"\\]|\\.|"")*)"|“([^”]*)”|((?:[^\s,;，；]|[,;，；](?!\s*[\w.-]+\s*[=＝]))+))/gsu;

function answerEach(questions: Questions, text: string, texts: UnfitTexts): ReadAnswer {
  const answers = new Map<string, AskUserQuestionAnswerItem>();
  for (const [, key = '', quoted, curly, bare] of text.matchAll(PAIR)) {
    const question = questions[Number(/^q(\d+)$/i.exec(key)?.[1] ?? 0) - 1] ?? find(questions, key);
    if (!question) return unfit(texts.noQuestion(key));
    const words = quoted?.replaceAll(/\\(["\\])|"(")/g, '$1$2') ?? curly ?? bare ?? '';
    const given = answerGiven(question, { words, bare }, texts);
    if (typeof given === 'string') return unfit(texts.of(key, given));
    if (answers.has(question.id)) return unfit(texts.twice(key));
    answers.set(question.id, given);
  }
  const left = text.replaceAll(PAIR, '').replaceAll(/[\s,;，；]/g, '');
  if (left !== '') return unfit(texts.ofNoQuestion(left.slice(0, 40)));
  const missing = questions.findIndex(({ id }) => !answers.has(id));
  if (missing >= 0) return unfit(texts.notAnswered(missing + 1));
  return { kind: 'answer', answer: { answers: questions.map(({ id }) => answers.get(id)!) } };
}

function answerGiven(
  question: AskUserQuestionItem,
  { words, bare }: { readonly words: string; readonly bare: string | undefined },
  texts: UnfitTexts,
): ReadOne {
  if (bare !== undefined && /^(skip|-)$/i.test(bare)) return { id: question.id, selected: [] };
  return words.trim() === '' ? texts.empty : answerOne(question, words.trim(), texts);
}
