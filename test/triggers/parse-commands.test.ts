import { describe, expect, it } from '@jest/globals';
import { parseCommands } from '../../src/triggers/parse-commands.ts';
import { HOSTILE, timeOf } from '../publish/support/hostile-markdown.ts';
import type { Command } from '../../src/triggers/parse-commands.ts';

const addresses = { aliases: ['/dsh'], appSlug: 'dsh' };
const names = (body: string | null) =>
  parseCommands(body, addresses).map((parsed) => (parsed.kind === 'command' ? parsed.name : parsed.kind));
const first = (body: string) => parseCommands(body, addresses)[0] as Command;

describe('bot-triggers', () => {
  it.each([
    ['a paragraph', '/dsh fix'],
    ['a later line of a paragraph', 'Please\n/dsh fix'],
    ['a list item', '- /dsh fix'],
    ['a numbered item', '1. /dsh fix'],
    ['a reply below a quote', '> I would not do that\n\n/dsh fix'],
    ['a mention', '@dsh fix'],
    ['other case', '/DSH Fix'],
  ])('T1 reads a command in %s', (_, body) => {
    expect(names(body)).toEqual(['fix']);
  });

  it.each([
    ['a fence', '```\n/dsh fix\n```'],
    ['a tilde fence', '~~~\n/dsh fix\n~~~'],
    ['an unclosed fence', '```\n/dsh fix'],
    ['indented code', '    /dsh fix'],
    ['inline code', '`/dsh fix`'],
    ['inline code over two lines', 'see `a\n/dsh fix` there'],
    ['a quote', '> /dsh fix\n\nI would not do that'],
    ['a lazily continued quote', '> as it says\n/dsh fix'],
    ['a heading', '# /dsh fix'],
    ['an HTML comment', '<!-- /dsh fix -->'],
    ['an HTML comment inside a paragraph', 'text <!--\n/dsh fix\n-->'],
    ['a folded fence', '<details>\n\n```\n/dsh fix\n```\n\n</details>'],
    ['a link text', '[/dsh fix](https://example.com)'],
    ['a table', '| a |\n|---|\n| /dsh fix |'],
    ['a task box', '- [ ] /dsh fix'],
    ['the middle of a line', 'you could say /dsh fix here'],
    ['an address', 'https://github.com/acme/dsh/issues/1\nsee https://example.com/dsh fix'],
  ])('T1 A3 A6 reads nothing in %s', (_, body) => {
    expect(names(body)).toEqual([]);
  });

  it.each(['/dshfix', '/dsh-fix', '/d\u200bsh fix', '/d\u0455h fix', '@dsh-bot fix', '@dshx fix'])(
    'T2 %j is not a command',
    (body) => {
      expect(names(body)).toEqual([]);
    },
  );

  it.each([
    '\ufeff/dsh fix',
    '\u200b/dsh fix',
    '  /dsh fix',
    '\u00a0/dsh fix',
    'hello\r\n/dsh fix\r\n',
    '/dsh\tfix',
    '/dsh\u00a0fix',
  ])('T2 %j is a command all the same', (body) => {
    expect(names(body)).toEqual(['fix']);
  });

  it('T3 takes the text of fix to the end of the comment, arguments in their case', () => {
    expect(first('/dsh fix the Parser\n\nand the *Lexer*')).toMatchObject({ text: 'the Parser\n\nand the *Lexer*' });
  });

  it('T3 takes the text of other commands to the end of their line, flags apart', () => {
    expect(first('/dsh review --full src/A.ts\nthanks')).toEqual({
      kind: 'command',
      name: 'review',
      flags: { full: true },
      text: 'src/A.ts',
    });
  });

  it('T3 ends a text at the next command line', () => {
    expect(parseCommands('/dsh ask why?\n/dsh help', addresses)).toMatchObject([
      { name: 'ask', text: 'why?' },
      { name: 'help', text: '' },
    ]);
  });

  it('T3 takes the bare word for help', () => {
    expect(names('/dsh')).toEqual(['help']);
  });

  it.each([
    ['/dsh fxi', '/dsh fix'],
    ['/dsh reveiw', '/dsh review'],
    ['/dsh review --ful', '--full'],
    ['/dsh qqqqqq', '/dsh help'],
  ])('T3 answers %j with the nearest name', (body, near) => {
    const [parsed] = parseCommands(body, addresses);

    expect(parsed).toMatchObject({ kind: 'misunderstood' });
    expect(parsed).toHaveProperty('reply', expect.stringContaining(near));
  });

  it('T1 no comment costs more than 300 ms, and a command above such text is still read', () => {
    names('warm *up*\n\n- /dsh fix\n'.repeat(100));
    const slow = HOSTILE.filter((text) => timeOf(() => names(`/dsh\n${text}`)) > 300);

    expect(slow.map((text) => text.slice(0, 20))).toEqual([]);
    for (const text of [`${'- '.repeat(8_000)}x`, '> '.repeat(5_000), '~a'.repeat(30_000)]) {
      expect(first(`/dsh fix this\n\n${text}`)).toMatchObject({ name: 'fix', text: `this\n\n${text}`.trim() });
      expect(names(`${text}\n/dsh fix`)).toEqual([]);
    }
  });

  it('T1 reads no command below text that nests too deep', () => {
    expect(names(`/dsh help\n\n${'> '.repeat(30)}\`\`\`\n\n/dsh fix`)).toEqual(['help']);
  });

  it('T11 a body of null holds nothing', () => {
    expect(names(null)).toEqual([]);
  });
});
