import type { Git } from './git.ts';

/** Where line `line` of `path` in commit `from` stands in commit `to`; undefined where that line was changed or the file is gone. */
export async function moveLine(
  git: Git,
  from: string,
  to: string,
  path: string,
  line: number,
): Promise<number | undefined> {
  if ((await git.ask(['cat-file', '-e', `${to}:${path}`])) === undefined) return undefined;
  const diff = await git.text(['diff', '-U0', '--no-ext-diff', '--no-textconv', '--no-color', from, to, '--', path]);
  let shift = 0;
  for (const [, start, removed = '1', , added = '1'] of diff.matchAll(
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm,
  )) {
    const first = Number(start) + (removed === '0' ? 1 : 0);
    if (line < first) break;
    if (line < first + Number(removed)) return undefined;
    shift += Number(added) - Number(removed);
  }
  return line + shift;
}
