/**
 * The last line of a text of ours that is a mark of this kind, such as `dsh:review`. Ours are written behind all that the
 * model says, which may hold the likeness of one in a code block; people who edit a text may add lines behind.
 */
export function lastMark(text: string, kind: string): string | undefined {
  return text
    .split(/\r?\n/)
    .findLast((line) => line.startsWith(`<!-- ${kind} `) && line.trimEnd().endsWith('-->'))
    ?.trimEnd();
}

/** Whether a text of ours bears this mark. */
export function bearsMark(text: string, marker: string): boolean {
  const [, kind = ''] = /^<!-- (\S+) /.exec(marker) ?? [];
  return lastMark(text, kind) === marker;
}
