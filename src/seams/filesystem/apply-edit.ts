import { FsError } from './fs-error.ts';
import type { FsEditRequest } from './file-system.ts';

/** `text` is what goes to disk; `before` and `after` are the same in LF, for diffs. */
export interface AppliedEdit {
  text: string;
  before: string;
  after: string;
}

/** How far around a match a line ending is looked for. */
const NEARBY = 65_536;

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
  const text = replaceIn(raw, before, places, oldText.length, change);
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

function replaceIn(raw: string, lf: string, places: number[], oldLength: number, change: Change): string {
  const { skip, remove, insert } = change;
  const toRaw = rawOffsets(raw, lf);
  const parts: string[] = [];
  let done = 0;
  for (const place of places) {
    const match = toRaw(place);
    const from = toRaw(place + skip);
    const to = toRaw(place + skip + remove.length);
    const end = toRaw(place + oldLength);
    const endings = endingsFor(raw, { match, from, to, end });
    parts.push(raw.slice(done, from), withEndings(insert, endings));
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

/** What changes lies between `from` and `to`, inside a match from `match` to `end`. */
interface Span {
  match: number;
  from: number;
  to: number;
  end: number;
}

/** The endings of the lines that change, in order; without any, the nearest one: of the match, then of what surrounds it. */
function endingsFor(raw: string, { match, from, to, end }: Span): string[] {
  const own = endingsIn(raw.slice(from, to));
  if (own.length > 0) return own;
  const near =
    endingsIn(raw.slice(match, from)).at(-1) ??
    endingsIn(raw.slice(to, end))[0] ??
    /\r?\n/.exec(raw.slice(end, end + NEARBY))?.[0] ??
    endingsIn(raw.slice(Math.max(0, match - NEARBY), match)).at(-1);
  return [near ?? '\n'];
}

function endingsIn(text: string): string[] {
  return text.match(/\r?\n/g) ?? [];
}

function withEndings(lf: string, endings: string[]): string {
  let line = 0;
  return lf.replace(/\n/g, () => endings[Math.min(line++, endings.length - 1)] ?? '\n');
}
