import type { Language } from '../language.ts';

/** Why an answer does not fit, in one language; what people wrote comes in as it is. */
export interface UnfitTexts {
  readonly empty: string;
  readonly noOption: (number: number) => string;
  readonly onlyOne: string;
  readonly takesOne: (question: string) => string;
  readonly nothingTicked: string;
  readonly noQuestion: (key: string) => string;
  readonly of: (key: string, why: string) => string;
  readonly twice: (key: string) => string;
  readonly ofNoQuestion: (words: string) => string;
  readonly notAnswered: (nth: number) => string;
}

const EN: UnfitTexts = {
  empty: 'it is empty',
  noOption: (number) => `there is no option ${number}`,
  onlyOne: 'only one option can be chosen',
  takesOne: (question) => `"${question}" takes one option`,
  nothingTicked: 'nothing is ticked',
  noQuestion: (key) => `there is no question ${key}`,
  of: (key, why) => `${key}: ${why}`,
  twice: (key) => `${key} is answered twice`,
  ofNoQuestion: (words) => `"${words}" belongs to no question`,
  notAnswered: (nth) => `q${nth} is not answered`,
};

const ZH: UnfitTexts = {
  empty: '内容为空',
  noOption: (number) => `没有选项 ${number}`,
  onlyOne: '只能选一个选项',
  takesOne: (question) => `“${question}”只能选一个选项`,
  nothingTicked: '没有勾选任何方框',
  noQuestion: (key) => `没有问题 ${key}`,
  of: (key, why) => `${key}：${why}`,
  twice: (key) => `${key} 回答了两次`,
  ofNoQuestion: (words) => `“${words}”不属于任何问题`,
  notAnswered: (nth) => `q${nth} 没有回答`,
};

export const UNFIT_TEXTS: Readonly<Record<Language, UnfitTexts>> = { en: EN, zh: ZH };
