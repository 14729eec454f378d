import { FsError } from './fs-error.ts';
import type { FsEditRequest } from './file-system.ts';

/** `text` is what goes to disk; `before` and `after` are the same in LF, for diffs. */
export interface AppliedEdit {
  text: string;
  before: string;
  after: string;
}

/**
 * One exact replacement. Matching is literal on LF text; every line outside what really changes keeps its own ending,
 * and new lines take the ending of the lines they replace.
 * @throws FsError `FS_EDIT_NOT_FOUND`, or `FS_AMBIGUOUS_EDIT` for several places without `replaceAll`
 */
export function applyEdit(raw: string, edit: FsEditRequest): AppliedEdit {
  const before = toLf(raw);
  const oldText = toLf(edit.oldString);
  const places = findPlaces(before, oldText);
  if (places.length === 0) throw new FsError('the text to replace was not found', 'FS_EDIT_NOT_FOUND');
  if (places.length > 1 && !edit.replaceAll) {
    throw new FsError(`the text to replace occurs ${places.length} times`, 'FS_AMBIGUOUS_EDIT');
  }
  const change = smallestChange(oldText, toLf(edit.newString));
  const text = replaceIn(raw, before, places, change);
  return { text, before, after: toLf(text) };
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Where `wanted` begins, left to right, without overlaps. */
export function findPlaces(text: string, wanted: string): number[] {
  const places: number[] = [];
  if (wanted === '') return places;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** What to take out and put in, `skip` characters into a match: lines of context on both sides are not touched. */
interface Change {
  skip: number;
  remove: string;
  insert: string;
}

function smallestChange(oldText: string, newText: string): Change {
  const most = Math.min(oldText.length, newText.length);
  let skip = 0;
  while (skip < most && oldText[skip] === newText[skip]) skip += 1;
  let rest = 0;
  while (rest < most - skip && oldText.at(-1 - rest) === newText.at(-1 - rest)) rest += 1;
  return {
    skip,
    remove: oldText.slice(skip, oldText.length - rest),
    insert: newText.slice(skip, newText.length - rest),
  };
}

function replaceIn(raw: string, lf: string, places: number[], { skip, remove, insert }: Change): string {
  const toRaw = rawOffsets(raw, lf);
  const parts: string[] = [];
  let done = 0;
  for (const place of places) {
    const from = toRaw(place + skip);
    const to = toRaw(place + skip + remove.length);
    parts.push(raw.slice(done, from), withEndings(insert, endingsFor(raw, from, to)));
    done = to;
  }
  return parts.join('') + raw.slice(done);
}

/** Maps ascending offsets of the LF text to offsets of the raw text. */
function rawOffsets(raw: string, lf: string): (lfOffset: number) => number {
  if (raw.length === lf.length) return (offset) => offset;
  let lfAt = 0;
  let rawAt = 0;
  return (offset) => {
    for (; lfAt < offset; lfAt += 1) rawAt += raw[rawAt] === '\r' && raw[rawAt + 1] === '\n' ? 2 : 1;
    return rawAt;
  };
}

/** The endings of the replaced lines in order; without any, the one of the line the change stands in. */
function endingsFor(raw: string, from: number, to: number): string[] {
  const own = raw.slice(from, to).match(/\r?\n/g);
  if (own) return own;
  const next = /\r?\n/.exec(raw.slice(to, to + 65_536)) ?? raw.slice(Math.max(0, from - 65_536), from).match(/\r?\n/g);
  return [next?.at(-1) ?? '\n'];
}

function withEndings(lf: string, endings: string[]): string {
  let line = 0;
  return lf.replace(/\n/g, () => endings[Math.min(line++, endings.length - 1)] ?? '\n');
}
