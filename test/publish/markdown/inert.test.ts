import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { fenced } from '../../../src/publish/markdown/fenced.ts';
import { makeInert } from '../../../src/publish/markdown/inert.ts';
import { inertInline, inertPlain } from '../../../src/publish/markdown/inert-line.ts';
import { parseCommands } from '../../../src/triggers/parse-commands.ts';
import { HOSTILE, LONGEST, timeOf } from '../support/hostile-markdown.ts';

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

/** Where links and definitions lead, and the info strings of code blocks. */
function linksAndInfos(markdown: string): string {
  const found: string[] = [];
  const visit = (node: { type: string; url?: string; lang?: string | null; children?: unknown[] }) => {
    if (node.url) found.push(`link ${node.url}`);
    if (node.lang) found.push(`info ${node.lang}`);
    for (const child of node.children ?? []) visit(child as never);
  };
  visit(parse(markdown) as never);
  return found.join('\n');
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
      '&commat;a',
      '@&#x61;',
      '&num;1',
      '#&#49;',
      'GH\\-1',
      '&sol;dsh fix',
      '\r',
      '[x]: https://github.com/o/r/issues/1\n',
      'https://github.com/o/r/pull/1 ',
      '```suggestion\n',
    );
    const texts = fc.array(hostile, { maxLength: 14 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(texts, (text) => {
        const inert = makeInert(text);

        for (const visible of visibleTexts(inert)) {
          expect(visible).not.toMatch(/@[A-Za-z0-9]|#\d|(?<![A-Za-z0-9])GH-\d/);
        }
        expect(linksAndInfos(inert)).not.toMatch(/^link .*github\.com|^info suggestion/m);
        expect(parse(inert).children.some((node) => node.type === 'html')).toBe(false);
        for (const visible of rawTexts(inert)) expect(visible).not.toContain('<');
        expect(parseCommands(inert, addresses)).toEqual([]);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it.each([
    '&commat;someone',
    '&#x40;someone',
    '&#64;someone',
    '@&#x61;lice',
    '&num;99',
    '#&#x39;9',
    'acme/x&num;7',
    'GH&#45;7',
    'GH\\-7',
    '&sol;dsh fix',
    '\\/dsh fix',
  ])('P7 what %j stands for is not live', (text) => {
    const visible = visibleTexts(makeInert(text)).join('');

    expect(visible).not.toMatch(/@[A-Za-z0-9]|#\d|GH-\d/);
    expect(visible.startsWith('/') && !makeInert(text).startsWith('&#47;')).toBe(false);
  });

  it('P7 leaves the references for the signs of HTML', () => {
    expect(makeInert('Map&lt;K&gt; &amp; more, AT&T')).toBe('Map&lt;K&gt; &amp; more, AT&T');
  });

  it.each([
    ['a definition', '[x][1]\n\n[1]: https://github.com/a/b/issues/99'],
    ['a definition with references', '[x][1]\n\n[1]: https://github.com/a/b/&#105;ssues/99'],
    ['a definition in a quote', '> [1]:\n> https://github.com/a/b/pull/99\n\n[1]'],
    ['a definition of another kind', '[x][1]\n\n[1]: http://example.com/'],
    ['an address behind a backtick', '`https://github.com/a/b/issues/1 x'],
    ['an address before a backtick', 'https://github.com/a/b/issues/1`'],
    ['an address behind an open code span', 'a ` b https://github.com/a/b/issues/1'],
    ['an address behind a backslash', '\\https://github.com/a/b/issues/1'],
  ])('P7 X7 %s links nowhere', (_, text) => {
    expect(linksAndInfos(makeInert(text)).trim()).toBe('');
  });

  it.each(['suggestion', 'Suggestion', 'suggestion now', 'sugges&#116;ion', ' suggestion', 'suggestion:-0+1'])(
    'P7 R4 a block marked %j is no change to apply',
    (info) => {
      const inert = makeInert(`- a\n  ~~~${info}\n  b\n  ~~~\n\n\`\`\`${info}\nlet a;\n\`\`\``);

      expect(inert).toBe('- a\n  ~~~\n  b\n  ~~~\n\n```\nlet a;\n```');
    },
  );

  it.each([
    ['an image in an HTML comment', '<!-- ![a](https://evil.example/x.png) -->'],
    ['a suggestion in an HTML comment', '<!--\n```suggestion\nx\n```\n-->'],
    ['code behind an HTML block', '<!-- x -->\n    @tom'],
    ['code behind an HTML block behind a list', '- a\n<div>\n\n    @tom'],
    ['code behind a definition', '[1]: http://example.com\n    @tom'],
  ])('P7 X7 %s stays harmless', (_, text) => {
    const inert = makeInert(text);

    expect(visibleTexts(inert).join('\n')).not.toMatch(/@tom/);
    expect(linksAndInfos(inert).trim()).toBe('');
  });

  it('P7 closes an open fence behind lines that were joined', () => {
    const text = `${makeInert('![a\nb](https://e/x.png)\n\n```js\nlet a')}\n\nafter`;

    expect(parse(text).children.map((node) => node.type)).toEqual(['paragraph', 'code', 'paragraph']);
  });

  it('P7 shows what nests too deep in a code block', () => {
    expect(makeInert(`${'> '.repeat(50)}@a`)).toBe(fenced(`${'> '.repeat(50)}@a`));
  });

  it('P7 no text costs more than 300 ms', () => {
    makeInert('warm *up*\n\n- a\n'.repeat(100));
    const slow = HOSTILE.filter((text) => timeOf(() => makeInert(text)) > 300);

    expect(slow.map((text) => text.slice(0, 20))).toEqual([]);
  });

  it('P7 no row of signs as long as a comment costs more than 300 ms', () => {
    const unit = fc.array(fc.constantFrom(...'*_~[]()<>`&;:!|#@/-+=. 1a\n\t\\^"'), { minLength: 1, maxLength: 6 });

    fc.assert(
      fc.property(unit, (signs) => {
        const text = signs.join('').repeat(LONGEST / signs.length);
        expect(timeOf(() => makeInert(text))).toBeLessThan(300);
      }),
      { numRuns: 60, seed: 7 },
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
