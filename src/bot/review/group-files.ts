import type { DiffFile } from '../../github/diff/types.ts';
import { showDiff } from './show-diff.ts';

/** What one reader of a large change gets. */
export interface FileGroup {
  readonly files: readonly DiffFile[];
}

export interface Grouping {
  readonly groups: readonly FileGroup[];
  /** For whom no reader is left. */
  readonly unread: readonly DiffFile[];
}

/**
 * Parts a diff among readers (R8), what deserves attention first (PR47): files stay whole as far as one fits a reader,
 * hunks always. Pure.
 */
export function groupFiles(files: readonly DiffFile[], limits: { maxChars: number; maxGroups: number }): Grouping {
  const pieces = [...files]
    .sort((a, b) => attention(a) - attention(b))
    .flatMap((file) => piecesOf(file, limits.maxChars));
  const groups: DiffFile[][] = [];
  let left = 0;
  for (const { file, size } of pieces) {
    if (groups.length === 0 || size > left) {
      groups.push([]);
      left = limits.maxChars;
    }
    groups.at(-1)!.push(file);
    left -= size;
  }
  const unread = groups.slice(limits.maxGroups).flat();
  return { groups: groups.slice(0, limits.maxGroups).map((group) => ({ files: group })), unread };
}

interface Piece {
  readonly file: DiffFile;
  readonly size: number;
}

/** A file whose hunks do not fit one reader goes to several. */
function piecesOf(file: DiffFile, maxChars: number): Piece[] {
  const whole = sizeOf(file);
  if (whole <= maxChars || file.hunks.length < 2) return [{ file, size: Math.min(whole, maxChars) }];
  const pieces: Piece[] = [];
  let hunks: DiffFile['hunks'] = [];
  let size = 0;
  for (const hunk of file.hunks) {
    const own = sizeOf({ ...file, hunks: [hunk] });
    if (hunks.length > 0 && size + own > maxChars) {
      pieces.push({ file: { ...file, hunks }, size });
      [hunks, size] = [[], 0];
    }
    hunks.push(hunk);
    size += Math.min(own, maxChars);
  }
  return [...pieces, { file: { ...file, hunks }, size }];
}

function sizeOf(file: DiffFile): number {
  return showDiff([file], Infinity).text.length;
}

const RANKS: readonly RegExp[] = [
  /auth|login|session|token|secret|crypt|passw|permission|security|sql|migrat|payment|billing|schema/i,
  /(^|\/)(src|lib|app|pkg|internal|cmd|api|server)\//i,
];
const LAST =
  /(^|\/)(tests?|spec|__tests__|docs?|examples?|fixtures)\/|\.(md|txt|rst|test\.\w+|spec\.\w+|json|ya?ml)$|_test\.\w+$/i;

/** Data and security paths first, tests and documents last. */
function attention({ path }: DiffFile): number {
  if (LAST.test(path)) return RANKS.length + 1;
  const rank = RANKS.findIndex((pattern) => pattern.test(path));
  return rank < 0 ? RANKS.length : rank;
}
