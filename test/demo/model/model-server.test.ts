import { afterEach, describe, expect, it } from '@jest/globals';
import { calls, refuses, says, scriptByTurn } from '../../../src/demo/model/reply.ts';
import { startModelServer } from '../../../src/demo/model/start-model-server.ts';
import type { ModelServer, ModelServerOptions } from '../../../src/demo/model/start-model-server.ts';

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function start(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  server = await startModelServer({ script: () => says('ok'), ...options });
  return server;
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server!.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const user = { role: 'user', content: 'hi' };
const wireCall = (id: string) => ({ id, type: 'function', function: { name: 'bash', arguments: '{}' } });
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'out' });
const request = (...messages: object[]) => ({ model: 'm', stream: true, messages });

interface WireEvent {
  choices: { delta: Record<string, string> & { tool_calls?: { function: { arguments: string } }[] } }[];
}

function eventsIn(text: string): WireEvent[] {
  return text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as WireEvent);
}

describe('cases', () => {
  it('M1 streams a scripted reply as Chat Completions events over HTTP', async () => {
    await start({
      script: () =>
        calls(
          'bash',
          { command: 'ls' },
          { reasoning: 'r', text: 't', usage: { promptTokens: 9, completionTokens: 4, cachedTokens: 6 } },
        ),
    });

    const { status, text } = await post(request(user));
    const deltas = eventsIn(text).map((event) => event.choices[0]!.delta);

    expect(status).toBe(200);
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('r');
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('t');
    expect(
      deltas
        .flatMap((delta) => delta.tool_calls ?? [])
        .map((call) => call.function.arguments)
        .join(''),
    ).toBe('{"command":"ls"}');
    expect(eventsIn(text).at(-1)).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 9, completion_tokens: 4, prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 3 },
    });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('M1 plays one reply per request and records what was asked', async () => {
    await start({ script: scriptByTurn([[calls('bash', '{}'), says('one')], says('two')]) });

    const first = await post(request(user));
    await post(request(user, { role: 'assistant', content: '', tool_calls: [wireCall('c')] }, answer('c')));
    const third = await post(request(user));
    const fourth = await post(request(user));

    expect(first.text).toContain('"name":"bash"');
    expect(third.text).toContain('two');
    expect(fourth.status).toBe(400);
    expect(server!.requests.map(({ body }) => body!.messages.length)).toEqual([1, 3, 1, 1]);
    expect(JSON.parse(server!.requests[0]!.raw)).toEqual(request(user));
  });

  it('M19 refuses a missing or wrong key as the provider does, and every route with it', async () => {
    await start({ apiKey: 'right' });

    const wrong = await post(request(user), { Authorization: 'Bearer wrong' });
    const models = await fetch(`${server!.baseUrl}/models`);
    const right = await post(request(user), { Authorization: 'Bearer right' });

    expect([wrong.status, models.status, right.status]).toEqual([401, 401, 200]);
    expect(JSON.parse(wrong.text)).toEqual({
      error: {
        message: expect.stringContaining('Authentication'),
        type: 'authentication_error',
        param: null,
        code: 'invalid_request_error',
      },
    });
    expect(server!.requests).toHaveLength(1);
  });

  it('M19 sends scripted errors with their headers', async () => {
    await start({ script: () => refuses(429, 'slow down', { 'retry-after': '3' }) });

    const response = await fetch(`${server!.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(request(user)),
    });

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toMatchObject({ error: { message: 'slow down' } });
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /deserialize/],
    ['no messages', { model: 'm', stream: true, messages: [] }, /messages/],
    ['a role of its own', request({ role: 'developer', content: 'x' }), /role/],
    ['content that is no text', request({ role: 'user', content: null }), /content/],
    ['an assistant message of nothing', request(user, { role: 'assistant', content: null }), /content or tool_calls/],
    [
      'an unanswered call',
      request(user, { role: 'assistant', content: '', tool_calls: [wireCall('c')] }, user),
      /must be followed by tool messages/,
    ],
    [
      'one of two calls unanswered',
      request(user, { role: 'assistant', content: '', tool_calls: [wireCall('a'), wireCall('b')] }, answer('a')),
      /insufficient tool messages/,
    ],
    ['an answer to nothing', request(user, answer('c')), /must be a response to a preceding message/],
    [
      'an answer given twice',
      request(user, { role: 'assistant', content: '', tool_calls: [wireCall('c')] }, answer('c'), answer('c')),
      /must be a response/,
    ],
    [
      'a tool named twice',
      {
        ...request(user),
        tools: ['a', 'a'].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
      },
      /unique/,
    ],
    [
      'a tool name with a space',
      { ...request(user), tools: [{ type: 'function', function: { name: 'a b', parameters: { type: 'object' } } }] },
      /tools/,
    ],
    [
      'a forced tool while thinking',
      { ...request(user), thinking: { type: 'enabled' }, tool_choice: 'required' },
      /tool_choice/,
    ],
    ['an unknown model', { ...request(user), model: 'other' }, /Model Not Exist/],
  ])('M1 refuses %s with a 400', async (_what, body, message) => {
    await start({ rules: { models: ['m'] } });

    const { status, text } = await post(body);

    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toMatch(message);
    expect(server!.requests[0]!.body).toBeUndefined();
  });

  it('M1 thinking mode wants reasoning back on messages with calls, and a server may refuse it altogether', async () => {
    const bare = { role: 'assistant', content: '', tool_calls: [wireCall('c')] };
    const thinking = { thinking: { type: 'enabled' } };
    const withReasoning = request(user, { ...bare, reasoning_content: '' }, answer('c'));
    await start();

    expect((await post({ ...request(user, bare, answer('c')), ...thinking })).text).toMatch(
      /reasoning_content.*passed back/,
    );
    expect((await post({ ...withReasoning, ...thinking })).status).toBe(200);
    expect((await post(request(user, bare, answer('c')))).status).toBe(200);
    await server!.close();

    await start({ rules: { reasoning: 'refused' } });
    expect((await post(withReasoning)).status).toBe(400);
  });

  it('answers which models there are', async () => {
    await start({ rules: { models: ['a', 'b'] } });

    const response = await fetch(`${server!.baseUrl}/models`);

    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'a' }, { id: 'b' }] });
  });

  it('takes its time where told to', async () => {
    await start({ latencyMs: 20, script: () => says('x', { delayMs: 20 }) });
    const before = performance.now();

    await post(request(user));

    expect(performance.now() - before).toBeGreaterThan(38);
  });

  it('a script that throws becomes a 500 that says so', async () => {
    await start({
      script: () => {
        throw new Error('no such scene');
      },
    });

    expect(await post(request(user))).toMatchObject({ status: 500, text: expect.stringContaining('no such scene') });
  });
});
