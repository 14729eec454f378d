import { describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { validateChunks } from '../../src/harness/llm/validate-chunks.ts';
import { ask, blocksOf, collect, collectFailing, delta, event, events, Wire } from './adapter-fixture.ts';

const finish = (reason = 'stop') => delta({}, reason);
const call = (fields: object) => delta({ tool_calls: [fields] });

describe('llm-streaming', () => {
  it('L20 ends come in the order of opening, then usage, then finish, all after the end mark', async () => {
    await using wire = await Wire.start(
      events(
        delta({ reasoning_content: 'think ' }),
        delta({ content: 'say' }),
        delta({ reasoning_content: 'more' }),
        finish(),
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
        '[DONE]',
      ),
    );

    const chunks = await collect(validateChunks(wire.adapter.stream(ask())));

    expect(chunks).toEqual([
      { type: 'block-start', index: 0, blockType: 'reasoning' },
      { type: 'reasoning-delta', index: 0, text: 'think ' },
      { type: 'block-start', index: 1, blockType: 'text' },
      { type: 'text-delta', index: 1, text: 'say' },
      { type: 'reasoning-delta', index: 0, text: 'more' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'think more' } },
      { type: 'block-end', index: 1, block: { type: 'text', text: 'say' } },
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 2 } },
      { type: 'finish', reason: { kind: 'stop' } },
    ]);
  });

  it('L20 an empty first reasoning and an empty content open nothing', async () => {
    await using wire = await Wire.start(
      events(
        delta({ role: 'assistant', reasoning_content: '', content: '' }),
        delta({ content: 'x' }),
        finish(),
        '[DONE]',
      ),
    );

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toEqual([{ type: 'text', text: 'x' }]);
  });

  it.each([
    ['stop', { kind: 'stop' }],
    ['tool_calls', { kind: 'tool-calls' }],
    ['length', { kind: 'max-tokens' }],
    ['content_filter', { kind: 'error', failure: { code: 'CONTENT_FILTER' } }],
    ['insufficient_system_resource', { kind: 'error', failure: { code: 'INSUFFICIENT_SYSTEM_RESOURCE' } }],
  ])('L20 finish reason %s is mapped', async (reason, expected) => {
    await using wire = await Wire.start(events(delta({ content: 'x' }), finish(reason), '[DONE]'));

    const chunks = await collect(wire.adapter.stream(ask()));

    expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: expected });
  });

  it('L20 a stop without any block is an error of code EMPTY_RESPONSE', async () => {
    await using wire = await Wire.start(events(delta({ role: 'assistant', content: '' }), finish(), '[DONE]'));

    const chunks = await collect(wire.adapter.stream(ask()));

    expect(chunks).toMatchObject([{ type: 'finish', reason: { kind: 'error', failure: { code: 'EMPTY_RESPONSE' } } }]);
  });

  it.each<[string, string, (string | object)[]]>([
    ['STREAM_CLOSED', 'the end of the body before the end mark', [delta({ content: 'x' }), finish()]],
    ['STREAM_CLOSED', 'an end mark without finish reason', [delta({ content: 'x' }), '[DONE]']],
    ['STREAM_CLOSED', 'a body without any event', []],
    ['MALFORMED_RESPONSE', 'a piece that is no JSON', [delta({ content: 'x' }), '{"choices":[', '[DONE]']],
    ['MALFORMED_RESPONSE', 'a piece of the wrong shape', [{ choices: 'none' }, '[DONE]']],
    [
      'SERVER',
      'an error in place of a piece',
      [delta({ content: 'x' }), { error: { message: 'worker died', code: 500 } }],
    ],
    ['RATE_LIMIT', 'an error that tells its status', [{ error: { message: 'slow down', code: 429 } }]],
    ['QUOTA', 'an error about money', [{ error: { message: 'Insufficient Balance' } }]],
  ])('L20 %s for %s', async (code, _what, pieces) => {
    await using wire = await Wire.start(events(...pieces));

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ name: 'LlmError', code });
    expect(blocksOf(chunks)).toEqual([]);
  });

  it('L20 no body is EMPTY_RESPONSE, and a web page is no reply', async () => {
    await using empty = await Wire.start({ raw: [''], contentType: 'application/json' });
    await using page = await Wire.start({ raw: ['<html>sign in</html>'], contentType: 'text/html' });

    expect((await collectFailing(empty.adapter.stream(ask()))).error).toMatchObject({ code: 'EMPTY_RESPONSE' });
    expect((await collectFailing(page.adapter.stream(ask()))).error).toMatchObject({ code: 'MALFORMED_RESPONSE' });
  });

  it('L20 an end mark without its line break still ends the stream', async () => {
    await using wire = await Wire.start({ raw: [event(delta({ content: 'x' })), event(finish()), 'data: [DONE]'] });

    expect((await collect(wire.adapter.stream(ask()))).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('L7 cached tokens are not counted twice, reasoning stays inside the output', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 40, completion_tokens_details: { reasoning_tokens: 30 } };
    const deepseek = { ...usage, prompt_cache_hit_tokens: 80, prompt_cache_miss_tokens: 20 };
    const openai = { ...usage, prompt_tokens_details: { cached_tokens: 80 } };
    const expected = { inputTokens: 20, cacheReadTokens: 80, outputTokens: 40, reasoningTokens: 30 };

    for (const reported of [deepseek, openai]) {
      await using wire = await Wire.start(events(delta({ content: 'x' }), { ...finish(), usage: reported }, '[DONE]'));
      const chunks = await collect(wire.adapter.stream(ask()));
      expect(chunks.at(-2)).toEqual({ type: 'usage', usage: expected });
    }
  });

  it('L5 L20 the last usage wins and is told once', async () => {
    const usage = (prompt_tokens: number) => ({ choices: [], usage: { prompt_tokens, completion_tokens: 1 } });
    await using wire = await Wire.start(
      events(usage(1), delta({ content: 'x' }), usage(2), finish(), usage(3), '[DONE]'),
    );

    const chunks = await collect(validateChunks(wire.adapter.stream(ask())));

    expect(chunks.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } },
    ]);
  });

  it('L6 arguments a server had already parsed become text again', async () => {
    const parsed = call({ index: 0, id: 'c', function: { name: 'bash', arguments: { command: 'ls' } } });
    await using wire = await Wire.start(events(parsed, finish('tool_calls'), '[DONE]'));

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toEqual([
      { type: 'tool-call', id: 'c', name: 'bash', arguments: '{"command":"ls"}' },
    ]);
  });
});

describe('cases', () => {
  it('M2 two calls without any index stay two calls with their own arguments', async () => {
    await using wire = await Wire.start(
      events(
        call({ id: 'a', function: { name: 'read', arguments: '' } }),
        call({ function: { arguments: '{"path":' } }),
        call({ function: { arguments: '"x"}' } }),
        call({ id: 'b', function: { name: 'bash', arguments: '{"command":' } }),
        call({ id: 'b', function: { arguments: '"ls"}' } }),
        finish('tool_calls'),
        '[DONE]',
      ),
    );

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toEqual([
      { type: 'tool-call', id: 'a', name: 'read', arguments: '{"path":"x"}' },
      { type: 'tool-call', id: 'b', name: 'bash', arguments: '{"command":"ls"}' },
    ]);
  });

  it('M2 whole calls without index and without id stay apart', async () => {
    const whole = (name: string) => call({ function: { name, arguments: '{}' } });
    await using wire = await Wire.start(events(whole('read'), whole('bash'), finish('tool_calls'), '[DONE]'));

    const blocks = blocksOf(await collect(wire.adapter.stream(ask()))) as { id: string; name: string }[];

    expect(blocks.map(({ name }) => name)).toEqual(['read', 'bash']);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(2);
  });

  it('M2 one index for all calls, told apart by their ids', async () => {
    const at0 = (id: string, name: string) => call({ index: 0, id, function: { name, arguments: '{}' } });
    await using wire = await Wire.start(events(at0('a', 'read'), at0('b', 'bash'), finish('tool_calls'), '[DONE]'));

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });

  it.each<[string, object[], object]>([
    [
      'in pieces',
      [
        { index: 0, id: 'x', function: { name: 'rea' } },
        { index: 0, function: { name: 'd' } },
        { index: 0, function: { arguments: '{}' } },
      ],
      { id: 'x', name: 'read', arguments: '{}' },
    ],
    [
      'late',
      [
        { index: 0, id: 'x' },
        { index: 0, id: '', function: { name: 'read', arguments: '' } },
        { index: 0, function: { arguments: '{}' } },
      ],
      { id: 'x', name: 'read', arguments: '{}' },
    ],
    [
      'with id and name repeated on every piece',
      [
        { index: 0, id: 'x', function: { name: 'read', arguments: '{' } },
        { index: 0, id: 'x', function: { name: 'read', arguments: '}' } },
      ],
      { id: 'x', name: 'read', arguments: '{}' },
    ],
    [
      'without id',
      [
        { index: 0, id: '', function: { name: 'read' } },
        { index: 0, id: null, function: { arguments: '{}' } },
      ],
      { id: expect.stringMatching(/^call_\w+/), name: 'read', arguments: '{}' },
    ],
  ])('M4 one call, its name or id %s', async (_what, pieces, expected) => {
    await using wire = await Wire.start(events(...pieces.map(call), finish('tool_calls'), '[DONE]'));

    const chunks = await collect(validateChunks(wire.adapter.stream(ask())));

    expect(blocksOf(chunks)).toEqual([{ type: 'tool-call', ...expected }]);
    const ids = new Set(chunks.flatMap((chunk) => (chunk.type === 'tool-call-delta' ? [chunk.id] : [])));
    expect(ids.size).toBe(1);
  });

  it('M4 one id used for two calls of a reply gets a second one of our own', async () => {
    const at = (index: number) => call({ index, id: 'same', function: { name: 'read', arguments: '{}' } });
    await using wire = await Wire.start(events(at(0), at(1), finish('tool_calls'), '[DONE]'));

    const ids = (blocksOf(await collect(wire.adapter.stream(ask()))) as { id: string }[]).map(({ id }) => id);

    expect(ids[0]).toBe('same');
    expect(ids[1]).not.toBe('same');
  });

  it.each([
    ['empty', { choices: [] }],
    ['null', { choices: null }],
    ['absent', {}],
  ])('M5 a usage piece with choices %s counts wherever it stands', async (_what, piece) => {
    const usage = { ...piece, usage: { prompt_tokens: 7, completion_tokens: 3 } };
    const text = [delta({ content: 'a' }), delta({ content: 'b' }), finish()];

    for (const at of [0, 1, 3]) {
      await using wire = await Wire.start(events(...text.toSpliced(at, 0, usage), '[DONE]'));
      const chunks = await collect(wire.adapter.stream(ask()));
      expect(chunks.at(-2)).toEqual({ type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } });
      expect(blocksOf(chunks)).toEqual([{ type: 'text', text: 'ab' }]);
    }
  });

  it('M6 keep-alive comments and bare colons are no content', async () => {
    const raw = [
      ...Array<string>(50).fill(': keep-alive\n\n'),
      ':\n',
      '\n',
      event(delta({ content: 'x' })),
      event(finish()),
    ];
    await using wire = await Wire.start({ raw: [...raw, event('[DONE]')] });

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toEqual([{ type: 'text', text: 'x' }]);
  });

  it('M6 a JSON reply behind twenty line breaks is read as a whole', async () => {
    const message = { role: 'assistant', content: 'x', reasoning_content: 'r' };
    const json = { choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2 } };
    await using wire = await Wire.start({
      raw: ['\n'.repeat(20), JSON.stringify(json)],
      contentType: 'application/json',
    });

    const chunks = await collect(validateChunks(wire.adapter.stream(ask())));

    expect(blocksOf(chunks)).toEqual([
      { type: 'reasoning', text: 'r' },
      { type: 'text', text: 'x' },
    ]);
    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' } });
  });

  it('M9 empty arguments stay empty in the log', async () => {
    await using wire = await Wire.start(calls('status', ''));

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toMatchObject([{ name: 'status', arguments: '' }]);
  });

  it('M10 malformed arguments come through as they are', async () => {
    const broken = '{"text": "a\nb \\d",}';
    await using wire = await Wire.start(calls('edit', broken));

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toMatchObject([{ arguments: broken }]);
  });

  it('M12 a reply of reasoning only is a stop with a reasoning block and nothing else', async () => {
    await using wire = await Wire.start(events(delta({ reasoning_content: 'hm', content: null }), finish(), '[DONE]'));

    const chunks = await collect(wire.adapter.stream(ask()));

    expect(blocksOf(chunks)).toEqual([{ type: 'reasoning', text: 'hm' }]);
    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' } });
  });

  it.each<[string, object[]]>([
    ['after text', [delta({ content: 'half' })]],
    ['after half a call', [call({ index: 0, id: 'c', function: { name: 'bash', arguments: '{"comm' } })]],
    ['after a whole call', [call({ index: 0, id: 'c', function: { name: 'bash', arguments: '{"command":"rm x"}' } })]],
  ])('M15 a socket destroyed %s is TRANSPORT and ends no block', async (_what, pieces) => {
    await using wire = await Wire.start({ raw: [...pieces.map(event), { end: 'destroy' }] });

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'TRANSPORT', cause: expect.anything() });
    expect(blocksOf(chunks)).toEqual([]);
  });

  it('M17 text beside calls comes out as its own block', async () => {
    await using wire = await Wire.start(calls('bash', { command: 'ls' }, { text: 'Completed.' }));

    expect(blocksOf(await collect(wire.adapter.stream(ask())))).toMatchObject([
      { type: 'text', text: 'Completed.' },
      { type: 'tool-call', name: 'bash' },
    ]);
  });

  it('M1 a scripted server plays whole replies', async () => {
    await using wire = await Wire.start(
      says('hello', { reasoning: 'greet', usage: { promptTokens: 5, completionTokens: 4 } }),
    );

    const chunks = await collect(wire.adapter.stream(ask()));

    expect(blocksOf(chunks)).toEqual([
      { type: 'reasoning', text: 'greet' },
      { type: 'text', text: 'hello' },
    ]);
  });
});
