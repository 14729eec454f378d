import type { AskUserQuestionOption } from '../../../seams/user-interaction/types.ts';

/** `labels` as they were offered, each once; `unknown` is a number that no option has. */
export type Choice =
  | { readonly kind: 'labels'; readonly labels: readonly string[]; readonly byNumbers: boolean }
  | { readonly kind: 'unknown'; readonly number: number }
  | { readonly kind: 'own-words' };

/** What a text chooses of options: numbers, labels, or both, apart by commas. Anything else is own words. Pure. */
export function readChoice(options: readonly AskUserQuestionOption[], text: string): Choice {
  const offered = new Offered(options);
  if (text.length > offered.longestChoice) return { kind: 'own-words' };
  const whole = offered.labelOf(text);
  if (whole !== undefined) return { kind: 'labels', labels: [whole], byNumbers: false };
  const parts = partsOf(text);
  const numbers = parts.map(({ from, to }) => numberIn(text.slice(from, to)));
  const byNumbers = parts.length > 0 && !numbers.includes(undefined);
  const unknown = byNumbers ? numbers.find((number) => options[number! - 1] === undefined) : undefined;
  if (unknown !== undefined) return { kind: 'unknown', number: unknown };
  const labels = labelsIn(text, parts, offered);
  return labels ? { kind: 'labels', labels: [...new Set(labels)], byNumbers } : { kind: 'own-words' };
}

/** Room for a number, marks and blanks beside a label. */
const BESIDE = 20;

/** Options by their exact letters, and by what is left of them without marks, case and the note that one is recommended. */
class Offered {
  readonly #labels: readonly string[];
  readonly #named = new Map<string, Set<string>>();

  constructor(options: readonly AskUserQuestionOption[]) {
    this.#labels = options.map(({ label }) => label);
    for (const [at, label] of this.#labels.entries())
      for (const name of namesOf(plain(label), at + 1))
        this.#named.set(name, (this.#named.get(name) ?? new Set()).add(label));
  }

  /** In characters: whatever is longer is more than a choice, and need not be looked through. */
  get longestChoice(): number {
    return this.#labels.reduce((sum, label) => sum + label.length + BESIDE, 0);
  }

  get longestLabel(): number {
    return Math.max(0, ...this.#labels.map(({ length }) => length)) + BESIDE;
  }

  labelOf(text: string): string | undefined {
    const exact = this.#labels.find((label) => label.trim() === text.trim());
    const fitting = exact === undefined ? (this.#named.get(plain(text)) ?? []) : [exact];
    return [...fitting].length === 1 ? [...fitting][0] : undefined;
  }

  optionIn(text: string): string | undefined {
    const label = this.labelOf(text);
    const number = label === undefined ? numberIn(text) : undefined;
    return number === undefined ? label : this.#labels[number - 1];
  }
}

/** As it stands in the comment it is often copied with its number. */
function namesOf(label: string, number: number): string[] {
  if (label === '') return [];
  const short = label.replace(RECOMMENDED, '');
  return [label, short].flatMap((name) => [name, `${number} ${name}`, `${number}. ${name}`, `${number}) ${name}`]);
}

const RECOMMENDED = / ?\(recommended\)$/;

interface Part {
  readonly from: number;
  readonly to: number;
}

const BETWEEN = /[^,，、;；\n]+/g;

function partsOf(text: string): Part[] {
  return [...text.matchAll(BETWEEN)]
    .filter(([part]) => plain(part) !== '')
    .map(({ 0: part, index }) => ({ from: index, to: index + part.length }));
}

/** A label may hold commas itself: the longest stretch that is one counts. */
function labelsIn(text: string, parts: readonly Part[], offered: Offered): string[] | undefined {
  const labels: string[] = [];
  for (let at = 0; at < parts.length;) {
    const { from } = parts[at]!;
    const ends = parts.slice(at).filter(({ to }) => to - from <= offered.longestLabel);
    const stretches = ends.map(({ to }) => offered.optionIn(text.slice(from, to)));
    const found = stretches.findLastIndex((label) => label !== undefined);
    if (found < 0) return undefined;
    labels.push(stretches[found]!);
    at += found + 1;
  }
  return labels.length > 0 ? labels : undefined;
}

function numberIn(text: string): number | undefined {
  const digits = /^(\d+)[.)。]?$/.exec(plain(text))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Wide digits and letters as narrow ones, without marks that show nothing, quote or stress. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}*`"“”„«»]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
