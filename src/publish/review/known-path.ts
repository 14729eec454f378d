import type { HeadFiles } from './check-finding.ts';

/** As a diff or the sandbox has them in front of a path. */
const PREFIXES = ['a/', 'b/', '/workspace/', '/'];

/** The path as the repository has it, where it is one of the head's written otherwise; else as it is. Pure. */
export function knownPath(path: string, head: HeadFiles): string {
  if (head.has(path)) return path;
  const prefix = PREFIXES.find((one) => path.startsWith(one) && head.has(path.slice(one.length)));
  return prefix === undefined ? path : path.slice(prefix.length);
}
