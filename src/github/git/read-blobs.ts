import { git } from './git.ts';
import type { GitOptions } from './git.ts';

const LINE_END = 0x0a;
const FOUND = /^[0-9a-f]+ (?<type>\w+) (?<bytes>\d+)$/;

/** Contents of blobs, by names without line ends; undefined where there is none of that name, or no blob. One process for all. */
export async function readBlobs(
  names: readonly string[],
  options: Omit<GitOptions, 'input' | 'answers'>,
): Promise<(Buffer | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join('');
  const { stdout } = await git(['cat-file', '--batch'], { ...options, input });
  let at = 0;
  return names.map(() => {
    const end = stdout.indexOf(LINE_END, at);
    const found = FOUND.exec(stdout.toString('utf8', at, end))?.groups;
    const from = end + 1;
    if (!found) {
      at = from;
      return undefined;
    }
    const to = from + Number(found.bytes);
    at = to + 1;
    return found.type === 'blob' ? stdout.subarray(from, to) : undefined;
  });
}
