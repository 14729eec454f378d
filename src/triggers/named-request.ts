import type { Command } from './parse-commands.ts';

/** Which requests the text of an answer names, in lower case, and what it says beside them. */
export interface NamedRequest {
  readonly ids: readonly string[];
  readonly rest: string;
}

const MARKS = String.raw`[\p{Cf}\s\x60*"'“”‘’«»()<>[\]#]`;
const AFTER = String.raw`[\p{Cf}\x60*"'“”‘’«»()<>[\]]*[.,:;!，。：；！]?`;
/** Of a question only what can be one: words of an answer may begin the same. */
const WORD = { approval: String.raw`(?:ap|q)_[\w-]+`, question: String.raw`q_[\da-f]+(?![\w-])` } as const;

/**
 * Reads the ids off the text of `approve`, `deny` or `answer`, however they are marked up. What is approved may be named
 * anywhere in the line; else an id stands first, since a reason or an answer may speak of others. Pure.
 */
export function namedRequest({ name, text }: Pick<Command, 'name' | 'text'>): NamedRequest {
  const word = WORD[name === 'answer' ? 'question' : 'approval'];
  if (name === 'approve') return { ids: idsIn(text, new RegExp(String.raw`(?<![\w-])${word}`, 'giu')), rest: '' };
  const first = new RegExp(`^${MARKS}*(${word})${AFTER}`, 'iu').exec(text);
  if (!first) return { ids: [], rest: text.trim() };
  const rest = text.slice(first[0].length).trim();
  const second = new RegExp(`^(?:(?:and|und|&|和)\\s)?${MARKS}*(${word})`, 'iu').exec(rest);
  return { ids: distinct([first[1]!, ...(second ? [second[1]!] : [])]), rest };
}

function idsIn(text: string, pattern: RegExp): string[] {
  return distinct(text.match(pattern) ?? []);
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}
