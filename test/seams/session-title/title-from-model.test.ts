import { describe, expect, it } from '@jest/globals';
import { isAgentLoopRequest } from '../../../src/harness/llm/agent-loop-request.ts';
import { allMessagesTitle, firstMessageTitle } from '../../../src/seams/session-title/model-titles.ts';
import type { SessionTitleLlmConfig } from '../../../src/seams/session-title/title-from-model.ts';
import { billedUsage } from '../../../src/seams/token-meter/billed-usage.ts';
import { eventsOf, settle } from '../../harness/agent/agent-bench.ts';
import { calls, fails, finishesWithError, isCut, reply, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { codeOf, titleBench } from './title-bench.ts';

const LLM: SessionTitleLlmConfig = {
  targetWords: 6,
  targetCjkCharacters: 12,
  maxInputBytes: 200,
  maxOutputTokens: 50,
  timeoutMs: 5_000,
};

/** A turn, then a refresh whose title the model gives. */
async function asked(title: ScriptedReply, config: Partial<SessionTitleLlmConfig> = {}, prompt = 'hello there') {
  const b = await titleBench([says('ok'), title]);
  await b.say(prompt);
  await b.ctx.plugin(firstMessageTitle, { ...LLM, ...config });
  const outcome = await codeOf(b.titles.refresh(b.session));
  return { ...b, outcome };
}

describe('session-title', () => {
  it('T17 T19 asks where the conversation goes, with the messages as data, and logs what it sends before', async () => {
    const b = await asked(says('  A fine\n title '));
    expect(b.outcome).toBe('none');
    expect(b.titles.get(b.session)).toMatchObject({
      title: 'A fine title',
      source: {
        kind: 'provider',
        provider: 'session-title-first-message-llm',
        model: { provider: 'test', model: 'm1' },
      },
    });
    const sent = b.model.requests[1]!;
    expect(sent).toMatchObject({ provider: 'test', model: 'm1', maxTokens: 50, purpose: 'session-title' });
    expect(sent.tools).toBeUndefined();
    expect(sent.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: '[{"seq":1,"text":"hello there"}]' }] },
    ]);
    expect(sent.system!.length / 4).toBeLessThanOrEqual(120);
    for (const said of [
      'title alone',
      'one line',
      'without quotes or Markdown',
      'language of the messages',
      '6 words',
      '12 characters',
    ]) {
      expect(sent.system).toContain(said);
    }
    const [record] = eventsOf(b.session, 'session/title-llm-request');
    const { system, messages, maxTokens } = sent;
    expect(record!.data).toEqual({
      titleProvider: 'session-title-first-message-llm',
      messageSeqs: [1],
      route: { provider: 'test', model: 'm1' },
      ...{ system, messages, maxTokens },
    });
    expect(Object.isFrozen(sent) && Object.isFrozen(sent.messages)).toBe(true);
    expect(isAgentLoopRequest(sent)).toBe(false);
  });

  it('B4 what a name cost is in the log of the session, also when its turn had ended and the answer is of no use', async () => {
    for (const title of [says('A fine title'), isCut({ type: 'text', text: 'Half a' })]) {
      const b = await asked(title);
      const [cost, ...more] = eventsOf(b.session, 'llm/auxiliary');
      expect(more).toEqual([]);
      expect(cost!.data).toMatchObject({
        purpose: 'session-title',
        usage: { inputTokens: 10, outputTokens: 5 },
      });
      expect(billedUsage(b.session.events)).toHaveLength(2);
      expect(b.session.openTurn).toBeUndefined();
    }
  });

  it('T17 asks the configured model, both of its names or none', async () => {
    const b = await asked(says('Title'), { provider: 'other', model: 'small' });
    expect(b.model.requests[1]).toMatchObject({ provider: 'other', model: 'small' });
    const half = await asked(says('never'), { model: 'small' });
    expect(half.outcome).toBe('SESSION_TITLE_INVALID_CONFIG');
    expect(eventsOf(half.session, 'session/title-llm-request')).toEqual([]);
  });

  it('T17 T19 records nothing where there is no route', async () => {
    const b = await titleBench([]);
    await b.ctx.plugin(firstMessageTitle, LLM);
    const session = b.ctx.sessions.create();
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    session.append(
      'user/message',
      { content: [{ type: 'text', text: 'hi' }], source: { kind: 'user' } },
      { surfaceOp: 'append' },
    );
    expect(await codeOf(b.titles.refresh(session))).toBe('SESSION_TITLE_NO_ROUTE');
    expect(eventsOf(session, 'session/title-llm-request')).toEqual([]);
  });

  it('T18 counts all that is sent, and never shortens it', async () => {
    const quotes = '"'.repeat(80);
    const b = await asked(says('never'), { maxInputBytes: 150 }, quotes);
    expect(b.outcome).toBe('SESSION_TITLE_INPUT_TOO_LONG');
    expect(b.model.requests).toHaveLength(1);
    expect(eventsOf(b.session, 'session/title-llm-request')).toEqual([]);
    const exact = Buffer.byteLength(JSON.stringify([{ seq: 1, text: quotes }]));
    expect((await asked(says('Fits'), { maxInputBytes: exact }, quotes)).outcome).toBe('none');
    expect((await asked(says('never'), { maxInputBytes: exact - 1 }, quotes)).outcome).toBe(
      'SESSION_TITLE_INPUT_TOO_LONG',
    );
  });

  it('T19 keeps the record when the call fails, and the code of the failure', async () => {
    const b = await asked(fails('RATE_LIMITED'));
    expect(b.outcome).toBe('RATE_LIMITED');
    expect(eventsOf(b.session, 'session/title-llm-request')).toHaveLength(1);
    expect(b.written()).toEqual(['hello there']);
  });

  it('T20 has one deadline over record, call and answer, checked again after the end', async () => {
    const wait = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));
    const slow = await asked({ ...says('Late'), before: wait(60) }, { timeoutMs: 20 });
    expect(slow.outcome).toBe('SESSION_TITLE_TIMEOUT');
    const lateEnd = await asked({ ...says('Late'), beforeEnd: wait(60) }, { timeoutMs: 20 });
    expect(lateEnd.outcome).toBe('SESSION_TITLE_TIMEOUT');
    expect(lateEnd.written()).toEqual(['hello there']);
  });

  it('T20 is ended by the caller’s signal, which is no timeout', async () => {
    const b = await titleBench([
      says('ok'),
      { ...says('x'), before: () => new Promise((resolve) => setTimeout(resolve, 30)) },
    ]);
    await b.say('hello there');
    await b.ctx.plugin(firstMessageTitle, LLM);
    const controller = new AbortController();
    const refreshing = b.titles.refresh(b.session, controller.signal);
    await settle();
    controller.abort(new Error('never mind'));
    expect(await codeOf(refreshing)).not.toBe('SESSION_TITLE_TIMEOUT');
    expect(b.written()).toEqual(['hello there']);
  });

  it.each<[string, ScriptedReply, string]>([
    ['was cut', isCut({ type: 'text', text: 'Half a' }), 'SESSION_TITLE_NO_TEXT'],
    ['calls a tool', calls('read'), 'SESSION_TITLE_NO_TEXT'],
    [
      'stops with a call',
      reply(
        [
          { type: 'text', text: 'x' },
          { type: 'tool-call', id: 'c' as never, name: 'n', arguments: '{}' },
        ],
        { kind: 'stop' },
      ),
      'SESSION_TITLE_NO_TEXT',
    ],
    ['says nothing', says(' '), 'SESSION_TITLE_NO_TEXT'],
    ['only thinks', reply([{ type: 'reasoning', text: 'hm' }], { kind: 'stop' }), 'SESSION_TITLE_NO_TEXT'],
    ['fails at its end', finishesWithError('OVERLOADED'), 'OVERLOADED'],
  ])('T21 takes no title from a reply that %s', async (_what, title, code) => {
    const b = await asked(title);
    expect(b.outcome).toBe(code);
    expect(b.written()).toEqual(['hello there']);
  });

  it('T8 T19 names by all messages where that is mounted, and what it costs is logged in the turn', async () => {
    const b = await titleBench([says('one'), says('First'), says('two'), says('Both')]);
    await b.ctx.plugin(allMessagesTitle, LLM);
    await b.say('hello');
    await b.say('and more');
    const records = eventsOf(b.session, 'session/title-llm-request');
    expect(records.map(({ data }) => data.messageSeqs.length)).toEqual([1, 2]);
    expect(b.titles.get(b.session)?.source).toMatchObject({ provider: 'session-title-all-messages-llm' });
    expect(eventsOf(b.session, 'llm/auxiliary').map(({ data }) => [data.turn, data.purpose, data.usage])).toEqual([
      [1, 'session-title', { inputTokens: 10, outputTokens: 5 }],
      [2, 'session-title', { inputTokens: 10, outputTokens: 5 }],
    ]);
  });
});
