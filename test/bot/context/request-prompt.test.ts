import { describe, expect, it } from '@jest/globals';
import { placeContexts, requestContent, threadContexts } from '../../../src/bot/context/request-prompt.ts';
import type { HookContext } from '../../../src/harness/agent/types.ts';
import type { Thread, ThreadComment } from '../../../src/github/threads.ts';

const author = { login: 'tom', isBot: false, association: 'NONE' };
const comment = (id: number, body: string): ThreadComment => ({
  place: 'issue',
  id,
  author,
  createdAt: '',
  body,
  url: '',
});
const thread = (more: Partial<Thread> = {}): Thread => ({
  owner: 'acme',
  repo: 'shop',
  kind: 'issue',
  number: 7,
  title: 'Crash',
  body: 'It fails.',
  author,
  createdAt: '',
  url: '',
  state: 'open',
  labels: [],
  comments: [],
  linked: [],
  ...more,
});
const texts = (contexts: HookContext[]) =>
  contexts.map(({ content: [block] }) => (block?.type === 'text' ? block.text : ''));

describe('prompts', () => {
  it('PR12 PR17 F1 shows the opening, the comments in order and what they mention, all before the request', () => {
    const linked = [
      { number: 3, kind: 'pull' as const, state: 'merged', title: 'Earlier' },
    ] as unknown as Thread['linked'];

    const contexts = threadContexts(thread({ comments: [comment(1, 'first'), comment(2, 'second')], linked }));

    expect(texts(contexts).map((text) => text.split('\n')[1])).toEqual([
      'title: Crash (#7)',
      'first',
      'second',
      'title: Mentioned in the thread',
    ]);
    expect(contexts.every(({ placement }) => placement === 'prompt-prefix')).toBe(true);
  });

  it('PR17 keeps the head of a long body and says what is missing', () => {
    const [opening] = texts(threadContexts(thread({ body: `${'a'.repeat(40_000)}END` })));

    expect(opening!.length).toBeLessThan(33_000);
    expect(opening).toContain('[… 8003 more characters: the rest of this text is on GitHub]');
    expect(opening).not.toContain('END');
  });

  it('PR17 keeps the first and the newest comments of a long thread and counts the middle', () => {
    const comments = Array.from({ length: 100 }, (_, i) => comment(i, `comment ${i} ${'x'.repeat(2_000)}`));

    const shown = texts(threadContexts(thread({ comments })));

    const all = shown.join('\n');
    expect(all.length).toBeLessThan(64_000 + 12_000);
    expect(all).toContain('comment 0 ');
    expect(all).toContain('comment 99 ');
    expect(all).not.toContain('comment 40 ');
    const middle = shown.find((text) => text.startsWith('['))!;
    expect(Number(/^\[(\d+) comments/.exec(middle)?.[1])).toBe(100 - (shown.length - 2));
  });

  it('PR17 the first and the newest word are kept however long they are', () => {
    const comments = [
      comment(1, `FIRST${'a'.repeat(60_000)}`),
      comment(2, 'b'.repeat(60_000)),
      comment(3, `NEWEST${'c'.repeat(60_000)}`),
    ];

    const all = texts(threadContexts(thread({ comments }))).join('\n');

    expect(all).toContain('FIRST');
    expect(all).toContain('NEWEST');
    expect(all.length).toBeLessThan(66_000);
  });

  it('PR17 a long diff hunk does not push out the words of its comment', () => {
    const review: ThreadComment = {
      ...comment(1, 'The words.'),
      place: 'review-comment',
      path: 'a.ts',
      line: 9,
      side: 'RIGHT',
      diffHunk: `${'+x\n'.repeat(20_000)}+LAST`,
    };

    const [, shown] = texts(threadContexts(thread({ kind: 'pull', comments: [review] })));

    expect(shown).toContain('path="a.ts:9"');
    expect(shown).toContain('+LAST\n\nThe words.');
  });

  it('X5 counts what was taken out beside the text', () => {
    const [opening, plain] = threadContexts(thread({ body: 'a\u200bb', comments: [comment(1, 'plain')] }));

    expect(opening?.meta).toEqual({ removed: { zeroWidth: 1, bidi: 0, tags: 0 } });
    expect(plain?.meta).toBeUndefined();
  });

  it('T10 shows the lines a request was written at', () => {
    const at = { path: 'src/a.ts', side: 'RIGHT' as const, startLine: 10, line: 12, hunk: '@@\n+bad', rootId: 1 };
    const reading = { kind: 'command', comment: { url: '', place: { kind: 'review-comment', id: 5, thread: at } } };

    const [shown] = texts(placeContexts(reading as never));

    expect(shown).toContain('path="src/a.ts:10-12 RIGHT"');
    expect(shown).toContain('+bad');
    expect(placeContexts({ kind: 'command', comment: undefined } as never)).toEqual([]);
  });

  it.each([
    ['a person’s own words', 'Mach es heil.', { kind: 'command', command: { text: 'Mach es heil.' } }, 'this request'],
    ['the objective of a goal', '修好它', { kind: 'command', command: { text: '--rounds 3 修好它' } }, 'this request'],
    ['a command without words', 'Fix this issue.', { kind: 'command', command: { text: '' } }, 'the issue'],
    ['an approved plan', 'Carry out the plan.', { kind: 'command', command: { text: '请计划' } }, 'the issue'],
    ['an event', 'Review this.', { kind: 'pull-request', subject: { kind: 'pull', number: 1 } }, 'the pull request'],
    ['the words of a plugin', 'Mach es heil.', { kind: 'custom' }, 'this request'],
  ])('PR61 the last line of a request says in which language to write: %s', (_, request, reading, whose) => {
    const turn = { request, reading: { subject: { kind: 'issue', number: 1 }, ...reading } } as never;

    expect(requestContent(turn)).toEqual([
      { type: 'text', text: `${request}\n\nWrite what people will read in the language of ${whose}.` },
    ]);
  });
});
