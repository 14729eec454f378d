import { describe, expect, it } from '@jest/globals';
import type { ContentBlock, Message } from '../../../src/harness/llm/types.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import type { EpochHeader } from '../../../src/harness/session/types.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { SessionTokenMeter, tokenMeter } from '../../../src/seams/token-meter/session-token-meter.ts';
import { MESSAGE, ROUTE, appendRaw, call, codeOf, loneSession, text } from '../../harness/session/session-fixture.ts';
import { HEADER, MeteredLog, PLENTY, answeredLog } from './metered-log.ts';

const meter = () => new SessionTokenMeter();
const measured = ({ session }: MeteredLog, header?: EpochHeader) => meter().measure(session, header);
const priced = (...content: ContentBlock[]) => meter().estimateMessage({ role: 'user', content });
const picture = { type: 'picture', data: 'x'.repeat(15) } as unknown as ContentBlock;

describe('token-meter', () => {
  it.each<[string, ContentBlock, number]>([
    ['a text', { type: 'text', text: 'abcd' }, 1 + 4],
    ['a text that begins a fifth character', { type: 'text', text: 'abcde' }, 2 + 4],
    ['an empty text', { type: 'text', text: '' }, 4],
    ['two characters outside the base plane', { type: 'text', text: '😀😀😀' }, 2 + 4],
    ['reasoning', { type: 'reasoning', text: 'abcd' }, 1 + 4],
    ['a call, name and arguments rounded apart', { ...call('c', 'bash1'), arguments: '{"a":1}' } as never, 2 + 2 + 4],
    ['a result', { type: 'tool-result', toolCallId: 'c', content: text('abcd') } as never, 1 + 4 + 4],
    ['a block of an unknown kind', picture, Math.ceil(JSON.stringify(picture).length / 4) + 4],
  ])('M2 prices %s by the fixed list', (_what, block, tokens) => {
    expect(priced(block)).toBe(tokens + 4);
  });

  it('M12 prices the header by the fixed list: prefix, system and tools, but no setting', () => {
    const prefix: Message = { role: 'user', content: text('abcd') };
    const tools = [{ name: 'bash', description: 'runs', parameters: {} }];
    const log = new MeteredLog();
    const total = (header: EpochHeader) => measured(log, header).totalTokens;

    expect(total({ config: { ...ROUTE, temperature: 1, stop: ['a'] } })).toBe(0);
    expect(total({ ...HEADER, system: 'abcde' })).toBe(2 + 4);
    expect(total({ ...HEADER, system: '', tools: [], messagePrefix: [] })).toBe(0);
    expect(total({ ...HEADER, messagePrefix: [prefix, prefix] })).toBe(18);
    expect(total({ ...HEADER, tools })).toBe(Math.ceil(JSON.stringify(tools).length / 4) + 4);
  });

  it('M1 a measurement is frozen and stays as it is while the log grows', () => {
    const log = answeredLog(PLENTY);
    const service = meter();
    const before = service.measure(log.session);
    const copy = structuredClone(before);

    log.endStep().endTurn().shortTurn();
    const after = service.measure(log.session);

    expect(before).toEqual(copy);
    expect(before.logRevision).toBe(copy.logRevision);
    expect(after.logRevision).toBe(log.session.seq);
    for (const part of [before, before.baseline, before.nodes, before.nodes[0]])
      expect(Object.isFrozen(part)).toBe(true);
    const { baseline } = before;
    expect(baseline.kind === 'usage' && Object.isFrozen(baseline.usage)).toBe(true);
  });

  it('M2 M16 nodes are the surface, in the order the model sees, and their sum is the price of the surface', () => {
    const log = new MeteredLog().startTurn().prompt('a'.repeat(400)).context('b'.repeat(40)).context('abcd');
    const [first, second] = log.session.surface.nodes;
    const before = measured(log);

    log.replace(first!, second!, 'abcdefgh');
    const after = measured(log);

    expect(before.nodes.map(({ tokens }) => tokens)).toEqual([108, 18, 9]);
    expect(after.nodes.map(({ seq }) => seq)).toEqual(log.session.surface.nodes);
    expect(after.nodes.map(({ seq }) => seq)).toEqual([log.session.seq - 1, log.session.seq - 2]);
    expect(after.nodes.map(({ tokens }) => tokens)).toEqual([10, 9]);
    expect([before.surfaceTokens, after.surfaceTokens]).toEqual([135, 19]);
  });

  it('M3 an empty session weighs nothing', () => {
    expect(measured(new MeteredLog())).toEqual({
      logRevision: 0,
      baseline: { kind: 'none', tokens: 0 },
      surfaceDeltaTokens: 0,
      totalTokens: 0,
      surfaceTokens: 0,
      nodes: [],
    });
  });

  it('M4 a given header changes the pressure and not the surface, and is compared in canonical form', () => {
    const log = answeredLog(PLENTY);
    const own = measured(log);
    const other = measured(log, { ...HEADER, system: 'abcd' });
    const same = measured(log, { config: { ...ROUTE, temperature: undefined } as never, system: '', tools: [] });

    expect([other.nodes, other.surfaceTokens]).toEqual([own.nodes, own.surfaceTokens]);
    expect(other.baseline).toEqual({ kind: 'estimated', tokens: 5 + 18 });
    expect(same).toEqual(own);
  });

  it('M5 an empty reply stands on the surface and costs nothing', () => {
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header().reply([]);

    expect(measured(log).nodes.map(({ tokens }) => tokens)).toEqual([9, 0]);
  });

  it('M6 each reply becomes the anchor, also one of another model, without content and without usage', () => {
    const log = answeredLog(PLENTY).endStep();
    const other = { ...HEADER, config: { provider: 'openai', model: 'o' } };
    const first = measured(log).baseline;
    const second = measured(
      log
        .startStep()
        .header(other)
        .reply(text('abcd'), { usage: { inputTokens: 500, outputTokens: 1 } }),
    );
    const third = measured(log.endStep().startStep().reply([]));

    expect(first).toEqual({ kind: 'usage', tokens: 90, usage: PLENTY });
    expect(second.baseline).toMatchObject({ kind: 'usage', tokens: 501 });
    expect(third).toMatchObject({
      baseline: { kind: 'estimated', tokens: 27 },
      surfaceDeltaTokens: 0,
      totalTokens: 27,
    });
  });

  it('M6 a rewritten reply is no call: it changes the surface and not the anchor', () => {
    const log = answeredLog(PLENTY);
    const [, reply] = log.session.surface.nodes;
    const data = { turn: 1, step: 1, content: text('abcdefgh'), provenance: ROUTE };
    const surfaceOp = { op: 'replace', start: reply!, end: reply! } as const;
    log.session.append('assistant/message', data, { surfaceOp, sourceEventSeqs: [reply!] });

    expect(measured(log)).toMatchObject({ baseline: { kind: 'usage', tokens: 90 }, surfaceDeltaTokens: 1 });
  });

  it('M7 what was appended between step/start and the reply is delta, since it did not travel in the request', () => {
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    log.context('abcd').reply(text('abcd'), { usage: PLENTY });

    expect(measured(log)).toMatchObject({ surfaceTokens: 27, surfaceDeltaTokens: 9, totalTokens: 99 });
  });

  it('M8 the anchor counts what the provider sent, the surface what was kept of it', () => {
    const long = text('a'.repeat(40));
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    log.reply(text('abcd'), { usage: PLENTY, sent: long });

    expect(measured(log)).toMatchObject({ surfaceTokens: 18, surfaceDeltaTokens: 9 - 18, totalTokens: 90 - 9 });
  });

  it('M8 cited nothing is a known empty reply; no citation at all is an unknown one, and what was kept counts', () => {
    const start = () => new MeteredLog().startTurn().prompt('abcd').startStep().header();
    const known = start();
    const data = { turn: 1, step: 1, content: text('abcd'), provenance: ROUTE, usage: PLENTY };
    known.session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs: [] });
    const unknown = start();
    unknown.session.append('assistant/message', data, { surfaceOp: 'append' });

    expect(measured(known).surfaceDeltaTokens).toBe(9);
    expect(measured(unknown).surfaceDeltaTokens).toBe(0);
  });

  it('M8 a cited block of a kind that only its missing end could tell makes the reply unknown, not the log unreadable', () => {
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    const { seq } = log.sent({ type: 'block-start', index: 0, blockType: 'picture' as never });
    const data = { turn: 1, step: 1, content: [], provenance: ROUTE, usage: PLENTY };
    log.session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs: [seq] });

    expect(measured(log)).toMatchObject({ surfaceDeltaTokens: 0, totalTokens: 90 });
  });

  it('M9 the provider total is input, both caches and output; reasoning is in the output already', () => {
    const usage = { inputTokens: 100, cacheReadTokens: 20, cacheWriteTokens: 3, outputTokens: 7, reasoningTokens: 5 };

    expect(measured(answeredLog(usage)).baseline).toEqual({ kind: 'usage', tokens: 130, usage });
  });

  it.each([
    ['as much as our own price', { inputTokens: 18, outputTokens: 0 }, 'usage', 18],
    ['less than our own price', { inputTokens: 17, outputTokens: 0 }, 'estimated', 18],
    ['nothing', undefined, 'estimated', 18],
  ])('M10 a provider that reported %s', (_what, usage, kind, tokens) => {
    expect(measured(answeredLog(usage)).baseline).toMatchObject({ kind, tokens });
  });

  it('M10 usage without a logged header is not believed, and the header counts towards our own price', () => {
    const bare = new MeteredLog().startTurn().prompt('abcd').startStep().reply(text('abcd'), { usage: PLENTY });
    const heavy = answeredLog(PLENTY, { ...HEADER, system: 'a'.repeat(400) });

    expect(measured(bare).baseline).toEqual({ kind: 'estimated', tokens: 18 });
    expect(measured(heavy).baseline).toEqual({ kind: 'estimated', tokens: 104 + 18 });
  });

  it('M10 a reported figure far too small does not let a shrinking rewrite clamp the total to zero', () => {
    const log = new MeteredLog().startTurn().prompt('a'.repeat(2000)).startStep().header();
    log.reply(text('abcd'), { usage: { inputTokens: 20, outputTokens: 7 } });
    const [prompt] = log.session.surface.nodes;

    expect(measured(log).totalTokens).toBe(508 + 9);
    expect(measured(log.replace(prompt!, prompt!, 'abcd')).totalTokens).toBe(18);
  });

  it('M11 under the same header the anchor is kept, and a shrinking rewrite is a negative delta', () => {
    const log = new MeteredLog().startTurn().prompt('a'.repeat(400)).startStep().header();
    log.reply(text('abcd'), { usage: { inputTokens: 300, outputTokens: 5 } });
    const [prompt] = log.session.surface.nodes;
    const before = measured(log);
    const after = measured(log.replace(prompt!, prompt!, 'abcd'));

    expect(before).toMatchObject({ surfaceDeltaTokens: 0, totalTokens: 305 });
    expect(after).toMatchObject({ surfaceDeltaTokens: 9 - 108, totalTokens: 305 - 99, baseline: { kind: 'usage' } });
  });

  it('M11 two absent headers count as equal, and the anchor header is the one in force when the reply was logged', () => {
    const bare = new MeteredLog()
      .startTurn()
      .prompt('abcd')
      .startStep()
      .reply(text('abcd'), { sent: text('abcdefgh') });
    const late = answeredLog(PLENTY)
      .endStep()
      .startStep()
      .header({ ...HEADER, system: 'abcd' });

    expect(measured(bare)).toMatchObject({ baseline: { tokens: 19 }, surfaceDeltaTokens: -1 });
    expect(measured(late)).toMatchObject({ baseline: { kind: 'estimated', tokens: 5 + 18 }, surfaceDeltaTokens: 0 });
    expect(measured(late, HEADER)).toMatchObject({ baseline: { kind: 'usage', tokens: 90 } });
  });

  it('M11 a total is never negative', () => {
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    log.reply([], { usage: { inputTokens: 400, outputTokens: 1 }, sent: text('a'.repeat(1000)) });
    const [prompt] = log.session.surface.nodes;

    expect(measured(log.replace(prompt!, prompt!, ''))).toMatchObject({ surfaceDeltaTokens: -259, totalTokens: 142 });
    const tiny = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    tiny.reply([], { sent: text('a'.repeat(40)) });
    expect(measured(tiny.replace(tiny.session.surface.nodes[0]!, tiny.session.surface.nodes[0]!, ''))).toMatchObject({
      totalTokens: 8,
    });
  });

  it.each<[string, EpochHeader]>([
    ['one sampling value', { config: { ...ROUTE, temperature: 0.5 } }],
    ['the model', { config: { ...ROUTE, model: 'other' } }],
    ['the provider', { config: { ...ROUTE, provider: 'other' } }],
    ['the system text', { ...HEADER, system: 'x' }],
    ['the tools', { ...HEADER, tools: [{ name: 'a', description: '', parameters: {} }] }],
    ['the prefix', { ...HEADER, messagePrefix: [{ role: 'user', content: text('x') }] }],
  ])('M12 %s being different is enough to price everything anew', (_what, header) => {
    const log = answeredLog(PLENTY);
    const { baseline, surfaceDeltaTokens, totalTokens } = measured(log, header);

    expect([baseline.kind, surfaceDeltaTokens, totalTokens]).toEqual(['estimated', 0, baseline.tokens]);
    expect(totalTokens).toBeLessThan(90);
  });

  it('M12 tools in another order are another header', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ name, description: '', parameters: {} }));
    const log = answeredLog({ inputTokens: 500, outputTokens: 0 }, { ...HEADER, tools: [a!, b!] });

    expect(measured(log, { ...HEADER, tools: [a!, b!] }).baseline.kind).toBe('usage');
    expect(measured(log, { ...HEADER, tools: [b!, a!] }).baseline.kind).toBe('estimated');
  });

  it('M13 early, late and repeated reading, a seed and a new service all give the same answer', async () => {
    const ctx = new Context();
    await ctx.plugin(sessionStore);
    const service = ctx.plugin(tokenMeter, undefined);
    await service;
    const session = ctx.sessions.create();
    ctx.tokenMeter.measure(session);
    const log = new MeteredLog(session).shortTurn().startTurn().prompt('abcd').startStep().header();
    log.reply(text('abcd'), { usage: PLENTY }).context('abcd');

    const early = ctx.tokenMeter.measure(session);
    await service.dispose();
    await ctx.plugin(tokenMeter, undefined);

    expect(ctx.tokenMeter.measure(session)).toEqual(early);
    expect(measured(log)).toEqual(early);
    expect(meter().measure(loneSession(session.events))).toEqual(early);
    expect(early.totalTokens).toBe(99);
  });

  it('M13 a session that was measured once is followed eagerly, others are not read', async () => {
    const ctx = new Context();
    await ctx.plugin(sessionStore);
    await ctx.plugin(tokenMeter, undefined);
    const [known, unknown] = [ctx.sessions.create(), ctx.sessions.create()];
    ctx.tokenMeter.measure(known);
    const reads: string[] = [];
    for (const session of [known, unknown]) {
      const eventAt = session.eventAt.bind(session);
      session.eventAt = (seq) => (reads.push(session.id), eventAt(seq));
    }

    for (const session of [known, unknown]) session.append('turn/start', { turn: 1, trigger: MESSAGE });

    expect(new Set(reads)).toEqual(new Set([known.id]));
  });

  it('M14 a bad event throws on every read, changes nothing, and leaves what came before it measured once', () => {
    const log = new MeteredLog().startTurn().prompt('abcd').startStep().header();
    const service = meter();
    service.measure(log.session);
    const data = { turn: 1, step: 1, content: text('abcd'), provenance: ROUTE };
    log.session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs: [0] });

    expect(codeOf(() => service.measure(log.session))).toBe('TOKEN_METER_BAD_LOG');
    expect(codeOf(() => service.measure(log.session))).toBe('TOKEN_METER_BAD_LOG');

    const real = log.session.eventAt.bind(log.session);
    const { sourceEventSeqs: _cited, ...mended } = real(log.session.seq - 1) as { sourceEventSeqs?: number[] };
    log.session.eventAt = (seq) => (seq === log.session.seq - 1 ? (mended as never) : real(seq));
    expect(service.measure(log.session)).toMatchObject({ surfaceTokens: 18, logRevision: log.session.seq });
  });

  const step = (type: string, turn: number, number: number) => ({ type, data: { turn, step: number } });
  const prompt = { type: 'user/message', data: { content: text('abcd') }, surfaceOp: 'append' };
  const chunk = {
    type: 'assistant/chunk',
    data: { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a' } },
  };
  const answer = (turn: number, number: number, sourceEventSeqs?: number[]) => ({
    type: 'assistant/message',
    data: { turn, step: number, content: [], provenance: ROUTE },
    surfaceOp: 'append',
    ...(sourceEventSeqs && { sourceEventSeqs }),
  });
  const replace = (start: number, end: number, sourceEventSeqs: number[]) => ({
    ...prompt,
    surfaceOp: { op: 'replace', start, end },
    sourceEventSeqs,
  });

  it.each<[string, unknown[]]>([
    ['a step inside a step', [step('step/start', 1, 1), step('step/start', 1, 2)]],
    ['an end of a step that is not open', [step('step/end', 1, 1)]],
    ['an end of another step', [step('step/start', 1, 1), step('step/end', 1, 2)]],
    ['a reply outside a step', [answer(1, 1)]],
    ['a reply of another step', [step('step/start', 1, 1), answer(1, 2)]],
    ['a reply of another turn', [step('step/start', 1, 1), answer(2, 1)]],
    ['a seq cited twice', [step('step/start', 1, 1), chunk, answer(1, 1, [1, 1])]],
    ['a cited seq that is not earlier', [step('step/start', 1, 1), chunk, answer(1, 1, [2])]],
    ['a cited event that is no chunk', [step('step/start', 1, 1), chunk, answer(1, 1, [0])]],
    [
      'a cited chunk of another step',
      [step('step/start', 1, 1), chunk, step('step/end', 1, 1), step('step/start', 1, 2), answer(1, 2, [1])],
    ],
    ['a replacement of what is not on the surface', [prompt, replace(0, 5, [0])]],
    ['a replacement from back to front', [prompt, prompt, replace(1, 0, [0, 1])]],
  ])('M15 throws on %s, after measuring all before it', (_what, events) => {
    const log = events.map((event, seq) => ({ time: 0, seq, ...(event as object) })) as never[];
    const view = { seq: log.length - 1, eventAt: (seq: number) => log[seq] };
    const service = meter();
    service.measure(view as never);

    expect(() => service.measure(view as never)).not.toThrow();
    view.seq = log.length;
    expect(() => service.measure(view as never)).toThrow(/event \d+/);
  });

  it('M17 only the last whole header counts; a delta changes nothing', () => {
    const log = answeredLog(PLENTY)
      .endStep()
      .startStep()
      .header({ ...HEADER, system: 'a'.repeat(400) });
    const heavy = measured(log).totalTokens;
    appendRaw(log.session, 'test/header-delta', { header: { system: 'b'.repeat(4000) } });

    expect(measured(log).totalTokens).toBe(heavy);
    log.reply([]).endStep().startStep().header();
    expect([heavy, measured(log).totalTokens]).toEqual([104 + 18, 18]);
  });

  it('M18 measuring appends nothing, and reads each event once', () => {
    const log = answeredLog(PLENTY);
    const service = meter();
    const real = log.session.eventAt.bind(log.session);
    let reads = 0;
    log.session.eventAt = (seq) => ((reads += 1), real(seq));
    const { seq } = log.session;

    service.measure(log.session);
    const first = reads;
    for (let i = 0; i < 5; i++) service.measure(log.session);

    expect(log.session.seq).toBe(seq);
    expect(reads).toBe(first);
    log.context('one more');
    service.measure(log.session);
    expect(reads).toBe(first + 1);
  });

  it('M19 log-only events advance the revision and leave the nodes equal; a change of the surface shows in them', () => {
    const log = answeredLog(PLENTY);
    const before = measured(log);
    log.session.append('todo/write', { todos: [] });
    const unrelated = measured(log);
    const [prompt] = log.session.surface.nodes;
    const changed = measured(log.replace(prompt!, prompt!, 'abcd'));

    expect(unrelated.logRevision).toBeGreaterThan(before.logRevision);
    expect(unrelated.nodes).toEqual(before.nodes);
    expect(changed.nodes).not.toEqual(before.nodes);
    expect(changed.surfaceTokens).toBe(before.surfaceTokens);
  });

  it.each(['contextWindow', 'anything'])(
    'M20 knows no capacity and takes no setting, so %s is refused',
    async (key) => {
      const ctx = new Context();
      const config = { [key]: 1 } as never;

      expect(codeOf(() => new SessionTokenMeter(config))).toBe('TOKEN_METER_CONFIG');
      await expect(Promise.resolve(ctx.plugin(tokenMeter, config))).rejects.toThrow(key);
    },
  );

  it('M13 after a restore the first measurement is the last one of the run before, up to what repair appended', () => {
    const log = answeredLog(PLENTY).endStep().endTurn();
    const last = measured(log);
    const restored = new MeteredLog(loneSession(log.session.events));

    expect(measured(restored)).toEqual(last);
    restored.startTurn().context('abcd');
    expect(measured(restored)).toMatchObject({ surfaceDeltaTokens: 9, totalTokens: last.totalTokens + 9 });
  });
});
