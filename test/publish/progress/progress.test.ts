import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { BODY_MAX, strictLength } from '../../../src/publish/markdown/body.ts';
import { renderProgress, tellsOfDone } from '../../../src/publish/progress/progress.ts';
import type { ProgressFacts } from '../../../src/publish/progress/progress.ts';

let seq = 0;
const event = (type: string, data: object): SessionEvent =>
  ({ type, seq: seq++, time: 0, data: { turn: 1, ...data } }) as never;
const call = (name: string, args: string) => event('tool/call', { name, arguments: args });
const usage = (inputTokens: number, more = {}) =>
  event('assistant/chunk', { chunk: { type: 'usage', usage: { inputTokens, outputTokens: 5, ...more } } });
const FACTS: ProgressFacts = {
  marker: '<!-- dsh:job s comment-1 -->',
  request: { by: 'maria', url: 'https://x/c', what: 'Fix this issue.' },
  startedAt: 0,
  now: 65_000,
  model: 'deepseek/flash',
  cost: 0.01234,
  describeCall: (name, args) => `${name}: ${args}`,
  redact: (text) => text.replaceAll('SECRET_KEY', '***'),
};
const LOG = [
  event('step/start', { step: 1 }),
  usage(1_000, { cacheReadTokens: 200, cacheWriteTokens: 30 }),
  call('bash', 'npm test'),
  event('todo/write', {
    todos: [
      { content: 'Look', status: 'completed' },
      { content: 'Mend', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
    ],
  }),
  event('step/start', { step: 2 }),
  call('read', 'a.js'),
];

describe('bot-human-loop', () => {
  it('P3 shows the request, the list, the step, the last calls and the figures', () => {
    expect(renderProgress(LOG, FACTS)).toBe(
      [
        '<!-- dsh:job s comment-1 -->\n**Working on it**: Fix this issue. ([asked](https://x/c) by maria)',
        '- [x] Look\n- [ ] Mend (now)\n- [ ] Test',
        'Now: read: a.js',
        '<details><summary>The last 2 of 2 steps</summary>\n\n```\nbash: npm test\nread: a.js\n```\n\n</details>',
        '<sub>deepseek/flash · 2 steps · 1,235 tokens · $0.0123 · 1 min 5 s</sub>',
      ].join('\n\n'),
    );
  });

  it.each([
    [{ transcript: 'https://dsh.test/sessions/s' }, /· \[transcript\]\(https:\/\/dsh\.test\/sessions\/s\)<\/sub>$/],
    [{ transcript: 'https://dsh.test/sessions/s', language: 'zh' } as const, /· \[完整记录\]\(https:\/\/dsh\.test/],
  ])('P3 where the host has a page for it, the transcript is linked last', (more, end) => {
    expect(renderProgress(LOG, { ...FACTS, ...more })).toMatch(end);
  });

  it('P3 the same log gives the same text, whoever draws it', () => {
    expect(renderProgress(structuredClone(LOG), { ...FACTS })).toBe(renderProgress(LOG, FACTS));
  });

  it.each([
    ['done', 'Done'],
    ['failed', 'That did not work'],
    ['stopped', 'Stopped'],
  ] as const)('P5 at the end it is the result: %s', (state, heading) => {
    const body = renderProgress(LOG, {
      ...FACTS,
      ending: { state, parts: [{ kind: 'said', text: 'What came of it.' }] },
    });

    expect(body).toMatch(new RegExp(`\\*\\*${heading}\\*\\*: Fix this issue\\.[\\s\\S]*What came of it\\.\\n\\n<sub>`));
    expect(body).not.toMatch(/Now:|- \[/);
  });

  it('P3 P4 says where a price is not known', () => {
    expect(renderProgress([], { ...FACTS, cost: undefined, now: 900 })).toContain(
      '0 steps · 0 tokens · cost unknown · 1 s',
    );
  });

  it('P6 a request as long as a comment may be, and a list of any length, do not push out the rest', () => {
    const todos = Array.from({ length: 500 }, (_, i) => ({ content: `${i} ${'*'.repeat(5_000)}`, status: 'pending' }));
    const what = '@a <b> '.repeat(9_000);

    const body = renderProgress([event('todo/write', { todos })], { ...FACTS, request: { ...FACTS.request, what } });

    expect(strictLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(body.startsWith(FACTS.marker)).toBe(true);
    expect(body).toContain('- and 450 more');
    expect(body).toMatch(/<\/sub>$/);
  });

  it('P7 P8 what is shown inline is redacted before it is escaped', () => {
    const log = [event('todo/write', { todos: [{ content: 'use SECRET_KEY', status: 'pending' }] })];

    const body = renderProgress(log, {
      ...FACTS,
      request: { by: '@octocat', url: undefined, what: 'with SECRET_KEY for @octocat' },
    });

    expect(body).not.toMatch(/SECRET|@octocat/);
    expect(body).toContain('with \\*\\*\\* for @&#8203;octocat (asked by @&#8203;octocat)');
  });

  it('P3 P5 while a person is asked it waits for you, in the log and at a parked end, and says where', () => {
    const asked = event('human/asked', { request: 'ap_1', kind: 'approval', callId: 'c' });
    const answered = event('human/answer', { request: 'ap_1', how: 'box', at: 0 });

    const waiting = renderProgress([...LOG, asked], FACTS);
    expect(waiting).toContain('**Waiting for you**: Fix this issue.');
    expect(waiting).toContain('The comment with `ap_1` says what is asked.');
    expect(renderProgress([...LOG, asked], { ...FACTS, ending: { state: 'waiting', parts: [] } })).toBe(waiting);
    expect(renderProgress([...LOG, asked, answered], FACTS)).toContain('**Working on it**');
  });

  it('P3 speaks the language it is told, and an end in either is known as one', () => {
    const chinese = renderProgress(LOG, { ...FACTS, language: 'zh' });
    expect(chinese).toContain('**正在处理**：Fix this issue.（maria [提出](https://x/c)）');
    expect(chinese).toContain('- [ ] Mend（进行中）');
    expect(chinese).toMatch(/2 步 · [\d,]+ 个 token · \$0\.0123 · 1 分 5 秒/);
    for (const language of ['en', 'zh'] as const) {
      const done = renderProgress(LOG, { ...FACTS, language, ending: { state: 'done', parts: [] } });
      expect(tellsOfDone(done, FACTS.marker)).toBe(true);
    }
    expect(tellsOfDone(chinese, FACTS.marker)).toBe(false);
  });
});
