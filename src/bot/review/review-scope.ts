import { matchesGlob } from 'node:path';
import { hunksSince } from '../../github/diff/hunks-since.ts';
import type { DiffFile } from '../../github/diff/types.ts';
import { splitIgnored } from './split-ignored.ts';

export interface ScopeFacts {
  readonly ignore: readonly string[];
  /** Paths that the base's attributes call generated or vendored. */
  readonly generated: ReadonlySet<string>;
  /** Words of the request; those that name changed files narrow the review to them. */
  readonly words: readonly string[];
  /** What was pushed since the head reviewed before; undefined where all is to be read. */
  readonly since: { readonly headSha: string; readonly files: readonly DiffFile[] } | undefined;
  /** Files of which something was told without a line: they are read whole. */
  readonly anew: ReadonlySet<string>;
}

export interface ReviewScope {
  /** What is to be read. */
  readonly files: readonly DiffFile[];
  /** What is not, and why, in sentences. */
  readonly limits: readonly string[];
  /** Whether it was narrowed to what was asked for. */
  readonly isPart: boolean;
}

/** What of a pull request's diff a review reads (R1, R6). Pure. */
export function reviewScope(
  whole: readonly DiffFile[],
  { ignore, generated, words, since, anew }: ScopeFacts,
): ReviewScope {
  const { reviewed, ignored } = splitIgnored(whole, ignore);
  const written = reviewed.filter(({ path }) => !generated.has(path));
  const asked = askedFor(written, words);
  const files = since ? pushedOf(asked, { ...since, anew }) : asked;
  const old = asked.filter(({ path }) => !files.some((file) => file.path === path));
  return {
    files,
    isPart: asked.length < written.length,
    limits: [
      ...ignored.map(({ path }) => `${path} was left out by configuration.`),
      ...reviewed
        .filter(({ path }) => generated.has(path))
        .map(({ path }) => `${path} was left out: it is generated or vendored.`),
      ...(asked.length < written.length
        ? [`Only ${words.join(' ')} was asked for: ${asked.length} of ${written.length} changed files.`]
        : []),
      ...(since && old.length > 0
        ? [
            `${old.length} file(s) have not changed since the review of ${since.headSha.slice(0, 10)} and were not read again.`,
          ]
        : []),
    ],
  };
}

function pushedOf(
  asked: readonly DiffFile[],
  { files, anew }: { readonly files: readonly DiffFile[]; readonly anew: ReadonlySet<string> },
): DiffFile[] {
  return asked.flatMap((file) => (anew.has(file.path) ? [file] : hunksSince([file], files)));
}

/** A path, a folder or a pattern; where one word is none of these, the words are a request in prose and narrow nothing. */
function askedFor(files: readonly DiffFile[], words: readonly string[]): readonly DiffFile[] {
  if (words.length === 0) return files;
  const names = (word: string, { path }: DiffFile) => {
    const wanted = word.replace(/^\.\//, '').replace(/\/$/, '');
    return path === wanted || path.startsWith(`${wanted}/`) || matchesGlob(path, wanted);
  };
  if (!words.every((word) => files.some((file) => names(word, file)))) return files;
  return files.filter((file) => words.some((word) => names(word, file)));
}
