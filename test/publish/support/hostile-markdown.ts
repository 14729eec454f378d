/** GitHub takes comments up to this length. */
export const LONGEST = 65_536;

const UNITS =
  '~a|~|*a|*a |_a*b|**a|[|[a](|![a](|[a](b) |]|](|<|<a |<!--|&a|&commat;|a@b.c |www.a.b |`a |`a``b|\\|- |> |1. |+ |[^a]: |> - * '
    .split('|')
    .concat([
      '\n',
      '\r',
      '\u2028',
      'a\n',
      'a\n\n',
      '- a\n',
      '1. a\n',
      '> a\n',
      '|a',
      'a|b\n-|-\n',
      'a\n=\n',
      '[a]: x\n',
    ]);

/** Texts as long as a comment may be, on which parsers of Markdown take minutes or overflow their stack. */
export const HOSTILE: readonly string[] = [
  ...UNITS.map((unit) => unit.repeat(Math.floor(LONGEST / unit.length))),
  `${'- '.repeat(8_000)}x`,
  '> '.repeat(5_000),
  '~a'.repeat(30_000),
  Array.from({ length: 350 }, (_, depth) => `${' '.repeat(depth)}- a\n`).join(''),
  `${'- '.repeat(19)}x\n${'\n'.repeat(60_000)}`,
  `${'*'.repeat(900)}x${'*'.repeat(900)}`,
];

/** Milliseconds of processor time, which others on the same machine do not lengthen. */
export function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
