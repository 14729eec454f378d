import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { refuses, says } from '../../src/demo/model/reply.ts';
import type { RawPart } from '../../src/demo/model/reply.ts';
import { errorChain } from '../../src/harness/llm/errors.ts';
import { API_KEY, ask, collect, collectFailing, delta, event, makeAdapter, NOW, Wire } from './adapter-fixture.ts';

const text = event(delta({ content: 'x' }));
const done = [event(delta({}, 'stop')), event('[DONE]')];
const pause = (pauseMs: number): RawPart => ({ pauseMs });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('llm-streaming', () => {
  it('L16 one call is one request, also where the client would try again', async () => {
    await using wire = await Wire.start(refuses(503, 'overloaded'));

    await collectFailing(wire.adapter.stream(ask()));

    expect(wire.server.requests).toHaveLength(1);
  });

  it('L16 aborting the caller before the reply begins ends the request', async () => {
    await using wire = await Wire.start(says('late', { delayMs: 5000 }));
    const turn = new AbortController();
    const failing = collectFailing(wire.adapter.stream(ask({ signal: turn.signal })));
    while (wire.server.requests.length === 0) await sleep(2);

    turn.abort({ kind: 'user' });

    expect((await failing).error).toMatchObject({ code: 'ABORTED' });
    await sleep(20);
    expect(wire.server.requests[0]!.closedEarly).toBe(true);
  });

  it('L16 aborting the caller in the middle of the body ends it too', async () => {
    await using wire = await Wire.start({ raw: [text, { end: 'silent' }] });
    const turn = new AbortController();
    const stream = wire.adapter.stream(ask({ signal: turn.signal }));
    const seen: string[] = [];

    const reading = (async () => {
      for await (const chunk of stream) {
        seen.push(chunk.type);
        if (chunk.type === 'text-delta') setTimeout(() => turn.abort(), 5);
      }
    })();

    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(seen).toEqual(['block-start', 'text-delta']);
    await sleep(20);
    expect(wire.server.requests[0]!.closedEarly).toBe(true);
  });

  it('L16 an aborted signal sends nothing', async () => {
    await using wire = await Wire.start(says('x'));

    const { error } = await collectFailing(wire.adapter.stream(ask({ signal: AbortSignal.abort() })));

    expect(error).toMatchObject({ code: 'ABORTED' });
    expect(wire.server.requests).toEqual([]);
  });

  it('L16 a consumer that stops reading closes the connection', async () => {
    await using wire = await Wire.start({ raw: [text, { end: 'silent' }] });

    for await (const chunk of wire.adapter.stream(ask())) if (chunk.type === 'text-delta') break;

    await sleep(20);
    expect(wire.server.requests[0]!.closedEarly).toBe(true);
  });

  it('L16 calls one after the other do not open a connection each', async () => {
    const sockets = new Set<unknown>();
    const server = createServer((request, response) => {
      sockets.add(request.socket);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const part of [text, ...done]) response.write(part);
      setTimeout(() => response.end(), 10);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const adapter = makeAdapter(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    for (let call = 0; call < 10; call++) await collect(adapter.stream(ask()));
    server.closeAllConnections();
    server.close();

    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it.each<[string, RawPart[]]>([
    ['no answer at all', [{ end: 'silent' }]],
    ['silence in the middle', [text, { end: 'silent' }]],
  ])('L17 %s is TIMEOUT after the idle limit', async (_what, raw) => {
    await using wire = await Wire.start({ raw }, { streamIdleTimeoutMs: 40 });

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('40 ms') });
    await sleep(20);
    expect(wire.server.requests[0]!.closedEarly).toBe(true);
  });

  it('L17 the idle limit runs while the server has not answered', async () => {
    await using wire = await Wire.start(says('late', { delayMs: 5000 }), { streamIdleTimeoutMs: 40 });

    expect((await collectFailing(wire.adapter.stream(ask()))).error).toMatchObject({ code: 'TIMEOUT' });
  });

  it('L17 any byte re-arms the idle limit, a keep-alive comment too', async () => {
    const beats = Array.from({ length: 8 }, () => [pause(40), ': keep-alive\n\n']).flat();
    await using wire = await Wire.start({ raw: [...beats, text, ...done] }, { streamIdleTimeoutMs: 200 });

    expect((await collect(wire.adapter.stream(ask()))).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('L17 keep-alives do not re-arm the progress limit, chunks do', async () => {
    const beats = Array.from({ length: 40 }, () => [pause(10), ': keep-alive\n\n']).flat();
    const steps = Array.from({ length: 30 }, () => [pause(10), text]).flat();
    const limits = { streamIdleTimeoutMs: 2000, streamProgressTimeoutMs: 250 };
    await using stuck = await Wire.start({ raw: [...beats, text, ...done] }, limits);
    await using slow = await Wire.start({ raw: [...steps, ...done] }, limits);

    const { error } = await collectFailing(stuck.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('no progress') });
    expect((await collect(slow.adapter.stream(ask()))).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('L17 time the consumer takes to think does not count', async () => {
    await using wire = await Wire.start(
      { raw: [text, pause(5), text, ...done] },
      { streamIdleTimeoutMs: 60, streamProgressTimeoutMs: 60 },
    );

    for await (const chunk of wire.adapter.stream(ask())) if (chunk.type === 'text-delta') await sleep(100);

    expect(wire.server.requests[0]!.closedEarly).toBe(false);
  });

  it('L17 the first of timeout and abort is the one reported', async () => {
    const turn = new AbortController();
    await using wire = await Wire.start({ raw: [{ end: 'silent' }] }, { streamIdleTimeoutMs: 40 });
    const failing = collectFailing(wire.adapter.stream(ask({ signal: turn.signal })));
    setTimeout(() => turn.abort(), 15);

    expect((await failing).error).toMatchObject({ code: 'ABORTED' });
  });

  it('L17 a server that is not there is TRANSPORT, with its cause', async () => {
    const wire = await Wire.start(says('x'));
    await wire.server.close();

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'TRANSPORT', cause: expect.anything() });
    expect(errorChain(error)).toContain('ECONNREFUSED');
  });

  it.each([0, -1, Infinity, NaN, 2 ** 31])('L17 a limit of %p ms is refused', (streamIdleTimeoutMs) => {
    expect(() => makeAdapter('http://127.0.0.1:1', { streamIdleTimeoutMs })).toThrow();
    expect(() => makeAdapter('http://127.0.0.1:1', { streamProgressTimeoutMs: streamIdleTimeoutMs })).toThrow();
  });

  it('L18 every request names the program, whatever the deployment sets', async () => {
    const headers = { 'user-agent': 'other', 'X-Team': 'tools' };
    await using wire = await Wire.start(says('x'), { headers });

    await collect(wire.adapter.stream(ask()));
    const sent = wire.server.requests[0]!.headers;

    expect(sent['user-agent']).toBe('dsh/1.2.3 (+https://example.org/dsh)');
    expect(sent['x-team']).toBe('tools');
  });

  it.each<[number, string, string]>([
    [401, 'Authentication Fails', 'AUTH'],
    [403, 'quota exceeded for this key', 'AUTH'],
    [402, 'Insufficient Balance', 'QUOTA'],
    [429, 'You exceeded your current quota, please check your plan', 'QUOTA'],
    [429, 'Rate limit reached', 'RATE_LIMIT'],
    [400, "This model's maximum context length is 1000 tokens", 'CONTEXT_WINDOW_EXCEEDED'],
    [400, 'Invalid max_tokens value', 'INVALID_REQUEST'],
    [404, 'no such model', 'HTTP_404'],
    [422, 'Invalid parameters', 'HTTP_422'],
    [500, 'Server error', 'SERVER'],
    [503, 'Server overloaded', 'SERVER'],
  ])('L19 %i "%s" is %s', async (status, message, code) => {
    await using wire = await Wire.start(refuses(status, message));

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code, failure: { status, code } });
    expect((error as Error).message).toContain(message);
  });

  it('L19 an error without the usual envelope is read as well', async () => {
    const body = { object: 'error', message: 'The input is too long for the maximum context length', code: 40303 };
    await using wire = await Wire.start({ error: { status: 400, body } });

    expect((await collectFailing(wire.adapter.stream(ask()))).error).toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
  });

  it.each<[string, number | undefined]>([
    ['7', 7000],
    ['0', undefined],
    ['-3', undefined],
    ['soon', undefined],
    [new Date(NOW.getTime() + 90_000).toUTCString(), 90_000],
    [new Date(NOW.getTime() - 90_000).toUTCString(), undefined],
  ])('L19 a retry-after of "%s" is %p', async (value, delayMs) => {
    await using wire = await Wire.start(refuses(429, 'slow down', { 'retry-after': value }));

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect((error as { failure: object }).failure).toEqual({
      message: expect.any(String),
      code: 'RATE_LIMIT',
      status: 429,
      ...(delayMs !== undefined && { providerRetryAfterMs: delayMs }),
    });
  });

  it.each([
    [{ 'x-request-id': 'r1', 'x-deepseek-request-id': 'r2' }, 'r1'],
    [{ 'x-deepseek-request-id': 'r2' }, 'r2'],
  ])('L19 the request id is read from %p', async (headers, requestId) => {
    await using wire = await Wire.start(refuses(500, 'oops', headers));

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ failure: { requestId } });
  });

  it('L19 a body that echoes the key leaks it nowhere in the error', async () => {
    await using wire = await Wire.start(
      refuses(500, `bad header Authorization: Bearer ${API_KEY} for sk-other-987654321`),
    );

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    const told = `${errorChain(error)} ${JSON.stringify(error)} ${(error as Error).stack}`;
    expect(told).not.toContain(API_KEY);
    expect(told).not.toContain('987654321');
    expect(told).toContain('[redacted]');
  });

  it.each<[string, string]>([
    ['an error piece', `{"error":{"message":"bad header: Bearer ${API_KEY}"}}`],
    ['a piece that cannot be read', `{"choices": oops Authorization: ${API_KEY}`],
  ])('L19 %s that echoes the key leaks it nowhere either', async (_what, data) => {
    await using wire = await Wire.start({ raw: [event(data)] });

    const { error } = await collectFailing(wire.adapter.stream(ask()));

    expect(`${errorChain(error)} ${(error as Error).stack}`).not.toContain(API_KEY);
    expect((error as Error).message).toContain('[redacted]');
  });

  it('L2 the models of a server are its catalogue', async () => {
    await using wire = await Wire.start(says('x'), {}, { rules: { models: ['a', 'b'] } });

    expect(await wire.adapter.listModels('deepseek')).toEqual([
      { provider: 'deepseek', id: 'a', name: 'a' },
      { provider: 'deepseek', id: 'b', name: 'b' },
    ]);
    expect(await wire.adapter.resolveModelContext('deepseek', 'deepseek-flash')).toEqual({ contextWindow: 1_000_000 });
    expect(await wire.adapter.resolveModelContext('deepseek', 'unheard-of')).toBeUndefined();
  });

  it('L2 an answer that is no list of models is MALFORMED_RESPONSE', async () => {
    const server = createServer((_request, response) => response.end('{"models":[]}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const adapter = makeAdapter(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    const listing = adapter.listModels('deepseek');

    await expect(listing.finally(() => server.close())).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE' });
  });

  it('L19 a wrong key is AUTH when asking for the models too', async () => {
    await using wire = await Wire.start(says('x'), {}, { apiKey: 'another' });

    await expect(wire.adapter.listModels('deepseek')).rejects.toMatchObject({ code: 'AUTH' });
  });
});

describe('cases', () => {
  it('M8 a stream that goes silent is aborted as TIMEOUT, with its chunks as trace', async () => {
    const thinking = Array.from({ length: 30 }, (_, at) => event(delta({ reasoning_content: `step ${at}. ` })));
    await using wire = await Wire.start({ raw: [...thinking, { end: 'silent' }] }, { streamIdleTimeoutMs: 250 });

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(chunks).toHaveLength(31);
  });

  it.each([
    [429, { 'retry-after': '2' }, { code: 'RATE_LIMIT', providerRetryAfterMs: 2000 }],
    [429, {}, { code: 'RATE_LIMIT' }],
    [503, {}, { code: 'SERVER' }],
    [402, {}, { code: 'QUOTA' }],
  ])('M19 %i with %p tells what to do about it', async (status, headers, facts) => {
    await using wire = await Wire.start(refuses(status, 'no', headers));

    expect((await collectFailing(wire.adapter.stream(ask()))).error).toMatchObject({ failure: { status, ...facts } });
  });

  it('M20 a context overflow has a code of its own', async () => {
    await using wire = await Wire.start(refuses(400, "This model's maximum context length is 65536 tokens."));

    expect((await collectFailing(wire.adapter.stream(ask()))).error).toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
  });
});
