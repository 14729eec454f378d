import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { replaySession } from '../../src/cli/replay.ts';
import { retryPlugin } from '../../src/harness/llm/llm-retry.ts';
import type { Session } from '../../src/harness/session/session.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { writeLines } from '../../src/store/jsonl/log-lines.ts';
import { runDsh } from '../e2e/support/run-dsh.ts';
import { bench, gate, settle, text, tool } from '../harness/agent/agent-bench.ts';
import type { Bench } from '../harness/agent/agent-bench.ts';
import { calls, callsAll, fails, hangs, isCut, reply, says } from '../support/scripted-model.ts';
import { exported, replayFile, tampered, without } from './support/logs.ts';

const NOTE = { kind: 'plugin', plugin: 'note' } as const;

async function turn(
  { agent }: { agent: Awaited<ReturnType<Bench['create']>>['agent'] },
  request: string,
): Promise<void> {
  agent.send(text(request));
  await agent.whenIdle();
}

/** Two turns: a call and its result, then a plain answer. */
async function plainLog(): Promise<Session> {
  const b = await bench([calls('look', { at: 'a' }, 'c1'), says('It is a.'), says('Yes.')]);
  b.ctx.tools.register(tool('look'));
  b.ctx.systemPrompt.section({ name: 'job', order: 10, text: 'Look closely.' });
  b.ctx.on('agent/session-prefix', async (_agent, _prefix, _signal, next) => [
    { role: 'user', content: text('The tree: a, b.') },
    ...(await next()),
  ]);
  const handle = await b.create();
  await turn(handle, 'What is it?');
  await turn(handle, 'Sure?');
  return handle.agent.session;
}

async function expectProven(session: Session, events: readonly SessionEvent[] = session.events) {
  const { code, said, result } = await replayFile(exported(session, events), true);
  const isRerun = { status: 'equal', difference: undefined };
  expect(result.requests.map(({ status }) => status)).toEqual(result.requests.map(() => 'equal'));
  expect(result.rerun?.flatMap(({ requests }) => requests)).toEqual(
    result.requests.map(() => expect.objectContaining(isRerun)),
  );
  expect(result.rerun?.filter(({ historyDifference }) => historyDifference !== undefined)).toEqual([]);
  expect(code).toBe(0);
  return { said, result };
}

describe('session', () => {
  it('S24 S25 S29 a log proves each of its requests, one line each, and they are the same when the turns run again', async () => {
    const session = await plainLog();

    const { said } = await expectProven(session);

    const digests = session.events.flatMap((event) =>
      event.type === 'request/digest' ? [event.data.sha256.slice(0, 12)] : [],
    );
    expect(said).toEqual([
      `turn 1 step 1  2 messages  ${digests[0]}  equal, rerun equal`,
      `turn 1 step 2  4 messages  ${digests[1]}  equal, rerun equal`,
      `turn 2 step 1  6 messages  ${digests[2]}  equal, rerun equal`,
      's1: 3 requests rebuilt from the log: 3 equal.',
      '2 turns run again: 3 requests equal.',
    ]);
  });

  it('S24 a compressed log proves the same', async () => {
    const session = await plainLog();
    const lines = exported(session, session.events).trimEnd().split('\n');
    const bytes = Buffer.concat([writeLines(lines.slice(0, 4), 'zstd'), writeLines(lines.slice(4), 'zstd')]);

    const { code, result } = await replayFile(bytes);

    expect(code).toBe(0);
    expect(result.summary).toEqual({ equal: 3, differing: 0, unsent: 0, unproven: 0, proven: true });
  });

  it.each([
    ['user/message', 'What is it?', 'What was it?', [1, 1], 0],
    ['tool/result', 'look done', 'look failed', [1, 2], 0],
    ['assistant/message', 'It is a.', 'It is b.', [2, 1], 1],
    ['request/header', 'Look closely.', 'Look away.', [1, 1], 0],
    ['request/header', 'a, b.', 'a, c.', [1, 1], 0],
    ['user/message', 'Sure?', 'Sure!', [2, 1], 1],
  ] as const)(
    'S29 a changed %s (%s) fails the request that held it, and is named',
    async (type, from, to, [at, step], nth) => {
      const session = await plainLog();
      const { events, seq } = tampered(session.events, type, (line) => line.replace(from, to), nth);

      const { code, said, result } = await replayFile(exported(session, events));

      const first = result.requests.find(({ status }) => status === 'differs');
      expect(first).toMatchObject({ turn: at, step });
      expect(first?.suspects).toContainEqual({ seq, type });
      expect(first?.suspects.length).toBeLessThanOrEqual(4);
      expect(said.find((line) => line.startsWith(`turn ${at} step ${step}`))).toContain(`event ${seq} (${type})`);
      expect(result.requests.slice(0, result.requests.indexOf(first!)).every(({ status }) => status === 'equal')).toBe(
        true,
      );
      expect(code).toBe(1);
    },
  );

  it('S29 a changed digest is known from the requests after it, and is the only suspect', async () => {
    const session = await plainLog();
    const { events, seq } = tampered(session.events, 'request/digest', (line) =>
      line.replace(/"sha256":"..../, '"sha256":"0000'),
    );

    const { code, result } = await replayFile(exported(session, events));

    expect(result.requests.map(({ status }) => status)).toEqual(['differs', 'equal', 'equal']);
    expect(result.requests[0]?.suspects).toEqual([{ seq, type: 'request/digest' }]);
    expect(code).toBe(1);
  });

  it('S29 a log whose digests were taken out is not believed', async () => {
    const session = await plainLog();

    const { code, said, result } = await replayFile(exported(session, without(session.events, 'request/digest')));

    expect(result.summary).toMatchObject({ equal: 0, unproven: 3, proven: false });
    expect(said.at(-1)).toBe('s1: 3 requests rebuilt from the log: 0 equal, 3 without a digest.');
    expect(code).toBe(1);
  });

  it('S29 running it again finds a reply that its own stream did not give, to the very field', async () => {
    const session = await plainLog();
    const { events } = tampered(session.events, 'assistant/message', (line) => line.replace('It is a.', 'It is b.'), 1);

    const { code, said } = await replayFile(exported(session, events), true);

    expect(said).toContain('After turn 1 the rerun has another history[3].content[0].text.');
    expect(code).toBe(1);
  });

  it('S29 running it again finds that a result it serves is not what was sent', async () => {
    const session = await plainLog();
    const { events } = tampered(session.events, 'tool/result', (line) => line.replace('look done', 'look failed'));

    const { code, result } = await replayFile(exported(session, events), true);

    expect(result.rerun?.[0]?.requests.map(({ status }) => status)).toEqual(['equal', 'differs']);
    expect(result.summary.rerun).toEqual({ turns: 2, equal: 1, differing: 2 });
    expect(code).toBe(1);
  });
});

describe('session', () => {
  it('S26 S28 a resumed session, with another prefix, another prompt and another model, is proven', async () => {
    const before = await plainLog();
    const b = await bench([says('Still a.'), calls('look', {}, 'c9'), says('b now.')]);
    b.ctx.tools.register(tool('look'));
    b.ctx.tools.register(tool('listen'));
    b.ctx.on('agent/session-prefix', () => [{ role: 'user', content: text('The tree: b.') }]);
    b.ctx.on('agent/request', async (_agent, at, _step, _config, _signal, next) => ({
      ...(await next()),
      ...(at === 4 && { model: 'm2' }),
    }));
    const handle = await b.create({ sessionId: SessionId('resumed'), seed: before.events });
    await turn(handle, 'And now?');
    await turn(handle, 'And now?');

    const { result } = await expectProven(handle.agent.session);

    const reasons = handle.agent.session.events.flatMap((event) =>
      event.type === 'request/header' ? [event.data.reason] : [],
    );
    expect(reasons).toEqual(['initial', 'resume', 'change']);
    expect(result.requests).toHaveLength(6);
  });

  it('S24 retries are proven: of a stream that broke, of one that never began, and of one nobody could mend', async () => {
    const b = await bench([fails('SERVER', 'It is'), fails('RATE_LIMIT'), says('It is a.'), fails('AUTH')]);
    await b.ctx.plugin(retryPlugin({ wait: async () => {}, random: () => 0 }), {});
    const handle = await b.create();
    await turn(handle, 'What is it?');
    await turn(handle, 'Sure?');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests.map(({ turn: at, step }) => [at, step])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 1],
    ]);
  });

  it('S24 a request that a plugin mended after a failure is proven, although no retry was logged', async () => {
    const b = await bench([fails('CONTEXT_OVERFLOW'), says('Short.')]);
    b.ctx.on('agent/request-error', (agent) => {
      const { seq } = agent.session.events.find(({ type }) => type === 'user/message')!;
      const op = { op: 'replace', start: seq, end: seq } as const;
      agent.session.append(
        'context/message',
        { content: text('(cut)'), source: NOTE },
        { surfaceOp: op, sourceEventSeqs: [seq] },
      );
      return { action: 'retry' };
    });
    const handle = await b.create();
    await turn(handle, 'A very long request');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests.map(({ messages }) => messages)).toEqual([1, 1]);
  });

  it('S13 parallel calls that end in another order, what they deferred, and what others added meanwhile are proven', async () => {
    const slow = gate();
    const b = await bench([
      callsAll(
        ['slow', { n: 1 }, 'c1'],
        ['quick', {}, 'c2'],
        ['alone', {}, 'c3'],
        ['nobody', {}, 'c4'],
        ['quick', '{"cut', 'c5'],
      ),
      says('Done.'),
      says('More.'),
    ]);
    const parallel = { isConcurrencySafe: () => true };
    b.ctx.tools.register(tool('slow', async () => (await slow.promise, text('slow done')), parallel));
    b.ctx.tools.register(
      tool(
        'quick',
        async (_args, exec) => {
          exec.deferContext({ content: text('quick was quick'), source: NOTE });
          exec.agent?.inject(text('somebody pushed'), { source: NOTE });
          slow.resolve();
          return { content: text('quick done'), meta: { n: 2 } };
        },
        parallel,
      ),
    );
    b.ctx.tools.register(
      tool('alone', async (_args, exec) => (exec.agent?.steer(text('And tell me why.')), text('alone done'))),
    );
    const handle = await b.create();
    await turn(handle, 'Go.');
    handle.agent.inject(text('between turns'), { source: NOTE });
    await turn(handle, 'On.');
    const types = handle.agent.session.events.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['context/message', 'steering/message']));

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests).toHaveLength(3);
  });

  it('S18 S19 compaction in the middle of a turn is proven, with references to what it replaced', async () => {
    const b = await bench([calls('look', {}, 'c1'), calls('look', { again: true }, 'c1'), says('Done.'), says('Bye.')]);
    b.ctx.tools.register(tool('look'));
    b.ctx.on('agent/post-step', ({ session }, _turn, step) => {
      session.append('todo/write', { todos: [] });
      const seqs = session.surface.nodes;
      const last = session.eventAt(seqs.at(-1)!)!;
      if (step === 1 && last.type === 'tool/result') {
        const op = { op: 'replace', start: last.seq, end: last.seq } as const;
        session.append(
          'tool/result',
          { ...last.data, content: text('(shortened)') },
          { surfaceOp: op, sourceEventSeqs: [last.seq] },
        );
      }
      if (step !== 2) return;
      const op = { op: 'replace', start: seqs[0]!, end: last.seq } as const;
      session.append(
        'context/message',
        { content: text('So far: looked twice.'), source: NOTE },
        { surfaceOp: op, sourceEventSeqs: [...seqs] },
      );
    });
    const handle = await b.create();
    await turn(handle, 'Go.');
    await turn(handle, 'On.');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests.map(({ messages }) => messages)).toEqual([1, 3, 1, 3]);
  });

  it('S24 what comes while the model speaks belongs to the next request, again', async () => {
    const b = await bench([]);
    b.model.add({
      ...calls('look', {}, 'c1'),
      beforeEnd: () => b.ctx.agents.list()[0]?.inject(text('meanwhile'), { source: NOTE }),
    });
    b.model.add(says('Done.'));
    b.ctx.tools.register(tool('look'));
    const handle = await b.create();
    await turn(handle, 'Go.');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests.map(({ messages }) => messages)).toEqual([1, 4]);
  });

  it('S29 a reply that a plugin rewrote, a request it decided on, and a turn it kept going are proven', async () => {
    const b = await bench([
      says('draft'),
      isCut({ type: 'text', text: 'half' }),
      reply([], { kind: 'stop' }),
      says('end'),
    ]);
    b.ctx.on('agent/step-result', (_agent, at, step, message) =>
      at === 1 && step === 1 ? { ...message, content: text('rewritten') } : message,
    );
    b.ctx.on('agent/turn-continuation', (agent, _turn, _default, _signal, next) =>
      agent.session.openStep === undefined &&
      agent.session.events.filter(({ type }) => type === 'step/start').length < 3
        ? { action: 'continue', reason: { content: text('go on'), source: NOTE } }
        : next(),
    );
    const handle = await b.create();
    await turn(handle, 'Go.');
    await turn(handle, 'On.');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests).toHaveLength(4);
  });

  it.each([
    ['while the model speaks', [hangs('Let me')]],
    ['while a tool runs', [callsAll(['look', {}, 'c1'], ['wait', {}, 'c2'], ['look', {}, 'c3'])]],
  ])('S15 a turn stopped %s, and what came after it, is proven', async (_when, script) => {
    const b = await bench([...script, says('Again.')]);
    b.ctx.tools.register(tool('look'));
    b.ctx.tools.register(
      tool(
        'wait',
        (_args, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
      ),
    );
    const handle = await b.create();
    handle.agent.send(text('Go.'));
    while (
      !handle.agent.session.events.some(
        ({ type, data }) => type === 'assistant/chunk' || (type === 'tool/call' && data.name === 'wait'),
      )
    )
      await settle();
    for (let round = 0; round < 20; round += 1) await settle();
    handle.agent.cancel();
    await handle.agent.whenIdle();
    await turn(handle, 'On.');
    expect(handle.agent.session.events.find(({ type }) => type === 'turn/end')?.data).toMatchObject({
      reason: { kind: 'aborted' },
    });

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests).toHaveLength(2);
  });

  it('S24 a log that was cut off at any event is proven as far as it goes', async () => {
    const session = await plainLog();

    for (let length = 1; length < session.events.length; length += 1) {
      const { code, result } = await replayFile(exported(session, session.events.slice(0, length)), true);
      const sent = session.events.slice(0, length).filter(({ type }) => type === 'request/digest').length;
      expect([length, code, result.summary.equal, result.summary.rerun?.equal]).toEqual([length, 0, sent, sent]);
    }
  });

  it('B4 B5 a parked turn and the one that answers it are proven', async () => {
    const b = await bench([
      callsAll(['early', {}, 'c1'], ['ask', {}, 'c2'], ['late', {}, 'c3']),
      says('Done.'),
      says('Bye.'),
    ]);
    let waits = false;
    for (const name of ['early', 'ask', 'late']) b.ctx.tools.register(tool(name));
    b.ctx.on('tools/pre-execute', async (exec, next) => {
      if (exec.name !== 'ask') return next();
      waits = true;
      await new Promise((resolve) => exec.signal.addEventListener('abort', resolve));
      throw new Error('unwound by parking');
    });
    const handle = await b.create();
    handle.agent.send(text('Go.'));
    while (!waits) await settle();
    const call = handle.agent.session.events.find(
      (event): event is SessionEvent<'tool/call'> => event.type === 'tool/call' && event.data.name === 'ask',
    );
    await handle.park({ waitingFor: { kind: 'question', id: 'q1' }, callId: call!.data.callId });
    handle.resumeParked({
      trigger: { kind: 'message', source: NOTE },
      settle: () => ({ kind: 'result', content: text('the person said yes') }),
    });
    await handle.agent.whenIdle();
    await turn(handle, 'Thanks.');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests.map(({ turn: at }) => at)).toEqual([1, 2, 3]);
  });

  it('S14 S24 a log without a request is proven and says so', async () => {
    const b = await bench();
    const handle = await b.create();
    handle.agent.inject(text('hello'), { source: NOTE });

    const { code, said } = await replayFile(exported(handle.agent.session, handle.agent.session.events), true);

    expect(said[0]).toBe('s1: 0 requests rebuilt from the log: 0 equal.');
    expect(code).toBe(0);
  });

  it('S27 a step that named no model sent nothing, and is no failure', async () => {
    const b = await bench([says('Hello.')]);
    const handle = await b.create({ agentOptions: { provider: 'test' } });
    await turn(handle, 'Go.');
    b.ctx.on('agent/request', async (_agent, _turn, _step, _config, _signal, next) => ({
      ...(await next()),
      model: 'm1',
    }));
    await turn(handle, 'Again.');

    const { result } = await expectProven(handle.agent.session);

    expect(result.requests).toHaveLength(1);
  });
});

describe('persistence', () => {
  it.each([
    [
      'an event is missing',
      (lines: string[]) => lines.toSpliced(5, 1),
      'CORRUPT_SESSION',
      'line 6 of the session file is damaged',
    ],
    [
      'a line is no JSON',
      (lines: string[]) => lines.with(3, '{"type":'),
      'CORRUPT_SESSION',
      'line 4 of the session file is damaged',
    ],
    [
      'the header is missing',
      (lines: string[]) => lines.slice(1),
      'CORRUPT_SESSION',
      'does not begin with a session header',
    ],
    [
      'it is another format',
      (lines: string[]) => lines.with(0, lines[0]!.replace('"version":0', '"version":9')),
      'FOREIGN_FORMAT',
      'format version 9',
    ],
    [
      'events do not enclose each other',
      (lines: string[]) => lines.map((line) => line.replace('"type":"step/end"', '"type":"other/thing"')),
      'NOT_ENCLOSED',
      'is still open',
    ],
    [
      'an event has no place on the surface',
      (lines: string[]) => lines.map((line) => line.replace(',"surfaceOp":"append"', '')),
      'INVALID_SURFACE',
      'needs surfaceOp',
    ],
  ])('a damaged log is refused with the reason: %s', async (_what, damage, code, message) => {
    const session = await plainLog();
    const lines = damage(exported(session, session.events).trimEnd().split('\n'));

    const replaying = replayFile(lines.map((line) => `${line}\n`).join(''));

    await expect(replaying).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('a torn end is left out, and that is said', async () => {
    const session = await plainLog();

    const { code, said } = await replayFile(exported(session, session.events).slice(0, -9));

    expect(said.at(-2)).toBe('The end of the file is torn; what could not be read was left out.');
    expect(code).toBe(0);
  });

  it('what is neither a session nor a file is a wrong call', async () => {
    await withFolder(async (folder) => {
      const output = { say: () => {}, result: () => {} };

      const replaying = replaySession('gh-1-2-1', { rerun: false }, { DSH_DATA_DIR: folder }, output);

      await expect(replaying).rejects.toMatchObject({
        code: 'USAGE',
        hint: expect.stringContaining('dsh sessions list'),
      });
    });
  });
});

describe('bot-hosts', () => {
  it('`dsh replay` prints one JSON document, and its exit code says whether the log is proven', async () => {
    const session = await plainLog();
    const { events } = tampered(session.events, 'user/message', (line) => line.replace('What', 'Who'));
    await withFolder(async (folder) => {
      const variables = { DSH_DATA_DIR: folder, HOME: folder };
      const [good, bad, none] = ['good.jsonl', 'bad.jsonl', 'none.jsonl'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      await writeFile(good, exported(session, session.events));
      await writeFile(bad, exported(session, events));

      const runs = await Promise.all([
        runDsh(['replay', good, '--rerun', '--json'], variables),
        runDsh(['replay', bad], variables),
        runDsh(['replay', none, '--json'], variables),
      ]);

      expect(runs.map(({ code }) => code)).toEqual([0, 1, 2]);
      expect(JSON.parse(runs[0].stdout)).toMatchObject({
        exitCode: 0,
        result: { session: 's1', summary: { equal: 3, proven: true, rerun: { equal: 3 } } },
      });
      expect(runs[1].stdout).toContain('0 equal, 3 differ');
      expect(JSON.parse(runs[2].stdout)).toMatchObject({ status: 'usage', problem: { code: 'USAGE' } });
    });
  });
});

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-replay-'));
  await use(folder).finally(() => rm(folder, { recursive: true, force: true }));
}
