/** A line of a file, as a proof cites it. */
export interface CitedPlace {
  readonly path: string;
  readonly line: number;
}

const MAX_PATH_CHARS = 400;
const PLAIN_PATH = /[\w@.+-][\w@./+-]*$/;

/**
 * The `path:line` places of a proof. Paths may hold blanks, brackets and any script, so of all the words in front of a line
 * number the longest is taken that `has` knows; else what looks like a path. Pure.
 */
export function citedPlaces(proof: string, has: (path: string) => boolean = () => false): CitedPlace[] {
  return [...proof.matchAll(/:(\d+)/g)].flatMap(({ index, 1: line }) => {
    const before = proof.slice(Math.max(0, index - MAX_PATH_CHARS), index);
    const path = longestKnown(before, has) ?? PLAIN_PATH.exec(before)?.[0];
    return path === undefined ? [] : [{ path, line: Number(line) }];
  });
}

function longestKnown(before: string, has: (path: string) => boolean): string | undefined {
  for (let start = 0; start < before.length; start++) {
    if (/[\w./-]/.test(before[start - 1] ?? ' ')) continue;
    const path = before.slice(start);
    if (has(path)) return path;
  }
  return undefined;
}
