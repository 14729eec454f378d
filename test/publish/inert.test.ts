import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { fenced, inertInline, inertPlain, makeInert } from '../../src/publish/inert.ts';
import { parseCommands } from '../../src/triggers/parse-commands.ts';

const parse = (text: string) => fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
const addresses = { aliases: ['/dsh'], appSlug: 'dsh' };

/** The texts a reader sees outside code, as GitHub would scan them for mentions and references. */
function visibleTexts(markdown: string): string[] {
  const texts: string[] = [];
  const visit = (node: { type: string; value?: string; children?: unknown[] }) => {
    if (node.type === 'text' || node.type === 'html') texts.push(node.value ?? '');
    for (const child of node.children ?? []) visit(child as never);
  };
  visit(parse(markdown) as never);
  return texts;
}

/** The same as they stand in the source. */
function rawTexts(markdown: string): string[] {
  const texts: string[] = [];
  const visit = (node: {
    type: string;
    position?: { start: { offset?: number }; end: { offset?: number } };
    children?: unknown[];
  }) => {
    if (node.type === 'text') texts.push(markdown.slice(node.position?.start.offset, node.position?.end.offset));
    if (node.type !== 'link') for (const child of node.children ?? []) visit(child as never);
  };
  visit(parse(markdown) as never);
  return texts;
}

describe('bot-human-loop', () => {
  it.each([
    ['a mention', 'thanks @octocat!', '@&#8203;octocat'],
    ['a reference', 'see #12 and o/r#34 and GH-5', '#&#8203;12'],
    ['HTML', 'a <img src=x onerror=y> b', '&lt;img'],
    ['a tag around an address', 'a <img src=http://evil.example> b', '&lt;img src='],
    ['an escaped tag', 'a \\<b>', 'a &lt;b>'],
    ['a command', '/dsh fix', '&#47;dsh fix'],
    ['a command in a list', '- /close', '&#47;close'],
    ['an image', '![alt](https://evil.example/x.png)', '(image: alt)'],
    ['a link of another kind', '[x](javascript:alert(1))', '`[x](javascript:alert(1))`'],
    ['an address of an issue', 'https://github.com/o/r/issues/1', '`https://github.com/o/r/issues/1`'],
  ])('P7 X7 makes %s inert', (_, text, expected) => {
    expect(makeInert(text)).toContain(expected);
  });

  it('P7 leaves plain Markdown and code as they are', () => {
    const text =
      '**Fixed** `@user #1` in [a file](https://example.com/a)\n\n```ts\n// @user #1 </details>\n/dsh fix\n```';

    expect(makeInert(text)).toBe(text);
  });

  it('P7 closes a fence that was left open', () => {
    const text = `${makeInert('text\n\n```js\nlet a')}\n\nafter`;

    expect(parse(text).children.map((node) => node.type)).toEqual(['paragraph', 'code', 'paragraph']);
  });

  it('P7 closes a longer fence that holds a shorter one', () => {
    const text = `${makeInert('````\n```\nx')}\n\nafter`;

    expect(parse(text).children.map((node) => node.type)).toEqual(['code', 'paragraph']);
  });

  it('P7 fences are longer than any run of backticks inside', () => {
    const nodes = parse(`${fenced('a\n`````\nb')}\n\nafter`).children;

    expect(nodes).toMatchObject([{ type: 'code', value: 'a\n`````\nb' }, { type: 'paragraph' }]);
  });

  it('P7 no text mentions, refers, commands or shows HTML', () => {
    const hostile = fc.constantFrom(
      '@a',
      '#1',
      'GH-1',
      '/dsh fix',
      '<b>',
      '</details>',
      '<!-- x',
      '```',
      '~~~',
      '> ',
      '- ',
      '\n',
      ' ',
      '`',
      '1. ',
      '![a](b)',
      '\\',
      '*',
      '[',
      '](',
      ')',
      '    ',
    );
    const texts = fc.array(hostile, { maxLength: 14 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(texts, (text) => {
        const inert = makeInert(text);

        for (const visible of visibleTexts(inert)) {
          expect(visible).not.toMatch(/@[A-Za-z0-9]|#\d|(?<![A-Za-z0-9])GH-\d/);
        }
        expect(parse(inert).children.some((node) => node.type === 'html')).toBe(false);
        for (const visible of rawTexts(inert)) expect(visible).not.toContain('<');
        expect(parseCommands(inert, addresses)).toEqual([]);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it.each([
    ['# not a heading', '&#8203;#'],
    ['a | b', 'a \\| b'],
    ['<script>', '\\<script\\>'],
    ['two\nlines @a', 'two lines @&#8203;a'],
  ])('P7 inline text %j stays inline text', (text, expected) => {
    expect(inertInline(text)).toContain(expected);
  });

  it('P7 a title or commit message closes and mentions nothing', () => {
    const title = inertPlain('Fixes #99 for @octocat\nGH-3');

    expect(title).not.toMatch(/#\d|@o|GH-3|\n/);
  });
});
