import type { Finding } from '../../src/publish/review/finding.ts';

export const LANGUAGES = ['typescript', 'python', 'go', 'java', 'rust'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A defect that a change brings. `line` is the text of its line in the head; `class` says what kind of slip it is. */
export interface Defect {
  readonly line: string;
  readonly class: string;
  readonly severity: Finding['severity'];
  readonly title: string;
  readonly scenario: string;
}

/** One change with what is wrong with it; without defects it is right as it is. */
export interface Seed {
  readonly id: string;
  readonly language: Language;
  readonly path: string;
  readonly base: string;
  readonly head: string;
  readonly defects: readonly Defect[];
}

export interface SeedText {
  readonly id: string;
  readonly language: Language;
  readonly path: string;
  readonly base: string;
  /** What the change replaces, in order; each text occurs once. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  readonly defects?: readonly Defect[];
}

/** Throws where a text does not occur exactly once: then the seed itself is wrong. */
export function seed({ id, language, path, base, edits, defects = [] }: SeedText): Seed {
  const head = edits.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`${id}: "${from}" does not occur once`);
    return text.replace(from, () => to);
  }, base);
  for (const { line } of defects) lineOf(head, line, id);
  return { id, language, path, base, head, defects };
}

/** The number of the one line that holds `text`, from 1. */
export function lineOf(head: string, text: string, id = ''): number {
  const found = head.split('\n').flatMap((line, at) => (line.includes(text) ? [at + 1] : []));
  if (found.length !== 1) throw new Error(`${id}: "${text}" is on ${found.length} lines`);
  return found[0]!;
}
