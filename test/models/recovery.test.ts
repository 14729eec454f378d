import { describe, expect, it } from '@jest/globals';
import type { AgentHandle } from '../../src/harness/agent/types.ts';
import { chunkValidator } from '../../src/harness/llm/chunk-validator.ts';
import { llmRetry } from '../../src/harness/llm/llm-retry.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { calls, refuses, says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { OUTPUT_RETRIES } from '../../src/models/guard-output.ts';
import { recorded } from '../../src/models/recorded.ts';
import { bench, ends, eventsOf, text, tool } from '../harness/agent/agent-bench.ts';
import type { Bench } from '../harness/agent/agent-bench.ts';
import { delta, event, makeAdapter, API_KEY } from './adapter-fixture.ts';
import { startModelServer } from '../../src/demo/model/start-model-server.ts';

const FAST = { initialDelayMs: 1, maxDelayMs: 20 };
const ran: unknown[] = [];

/** A whole turn over real HTTP: prompt in, log out. */
async function turn(
  replies: Reply[],
): Promise<{ log: readonly SessionEvent[]; handle: AgentHandle; b: Bench; requests: number }> {
  const server = await startModelServer({ script: (_request, index) => replies[index]!, apiKey: API_KEY });
  const b = await bench();
  await b.ctx.plugin(chunkValidator);
  await b.ctx.plugin(llmRetry, { ...FAST, maxRetries: 5 });
  for (const config of OUTPUT_RETRIES) await b.ctx.plugin(llmRetry, { ...config, ...FAST });
  b.ctx.llm.registerAdapter(['deepseek'], makeAdapter(server.baseUrl, { streamIdleTimeoutMs: 400 }));
  ran.length = 0;
  b.ctx.tools.register(tool('bash', async (args) => text(`ran ${ran.push(args)}`)));

  const handle = await b.create({ agentOptions: { provider: 'deepseek', model: 'deepseek-flash' } });
  handle.agent.send(text('fix it'));
  await handle.agent.whenIdle();
  await server.close();
  return { log: handle.agent.session.events, handle, b, requests: server.requests.length };
}

const cutCall = (end: 'destroy' | 'silent'): Reply => ({
  raw: [
    event(
      delta({ tool_calls: [{ index: 0, id: 'cut', function: { name: 'bash', arguments: '{"command":"rm -rf x"}' } }] }),
    ),
    { end },
  ],
});

describe('cases', () => {
  it('M19 three times 503 and then an answer is a turn that completes, with three waits in its log', async () => {
    const { handle, requests } = await turn([
      refuses(503, 'busy'),
      refuses(503, 'busy'),
      refuses(503, 'busy'),
      says('done'),
    ]);
    const { session } = handle.agent;

    expect(ends(session)).toEqual([{ kind: 'completed' }]);
    expect(requests).toBe(4);
    expect(eventsOf(session, 'llm/retry').map(({ data }) => [data.step, data.retry, data.maxRetries])).toEqual([
      [1, 1, 5],
      [2, 2, 5],
      [3, 3, 5],
    ]);
  });

  it.each([
    [402, 'Insufficient Balance', 'QUOTA'],
    [401, 'Authentication Fails', 'AUTH'],
  ])('M19 %i fails at once', async (status, message, code) => {
    const { handle, requests } = await turn([refuses(status, message), says('never')]);

    expect(ends(handle.agent.session)).toMatchObject([{ kind: 'error', failure: { code } }]);
    expect(requests).toBe(1);
  });

  it.each(['destroy', 'silent'] as const)(
    'M8 M15 a call cut by a %s end never runs and is asked for again as a new step',
    async (end) => {
      const { handle, log } = await turn([cutCall(end), calls('bash', { command: 'ls' }), says('done')]);

      expect(ran).toEqual([{ command: 'ls' }]);
      expect(ends(handle.agent.session)).toEqual([{ kind: 'completed' }]);
      expect(eventsOf(handle.agent.session, 'assistant/message').map(({ data }) => data.step)).toEqual([2, 3]);
      expect(
        log.some(({ type, data }) => type === 'assistant/chunk' && JSON.stringify(data).includes('rm -rf x')),
      ).toBe(true);
      expect(JSON.stringify(handle.agent.session.deriveMessages())).not.toContain('rm -rf x');
    },
  );
});

describe('prompts', () => {
  const asText = says('<tool_call>{"name":"bash"}</tool_call>');

  it('PR37 a call as text gets two new attempts, runs nothing and does not enter the history', async () => {
    const { handle } = await turn([asText, asText, says('done')]);

    expect(ends(handle.agent.session)).toEqual([{ kind: 'completed' }]);
    expect(ran).toEqual([]);
    expect(JSON.stringify(handle.agent.session.deriveMessages())).not.toContain('tool_call>');
  });

  it('PR37 after that the turn fails and names the parser of the server', async () => {
    const { handle, requests } = await turn([asText, asText, asText, says('never')]);

    expect(ends(handle.agent.session)).toMatchObject([
      { kind: 'error', failure: { code: 'TOOL_CALL_AS_TEXT', message: expect.stringContaining('parser') } },
    ]);
    expect(requests).toBe(3);
  });

  it('PR38 a repeating reply is tried once more', async () => {
    const loop = says('again and again '.repeat(200));

    expect(ends((await turn([loop, says('done')])).handle.agent.session)).toEqual([{ kind: 'completed' }]);
    expect(ends((await turn([loop, loop, says('never')])).handle.agent.session)).toMatchObject([
      { failure: { code: 'DEGENERATE_OUTPUT' } },
    ]);
  });
});

describe('llm-streaming', () => {
  it('L22 a reply is logged chunk by chunk, and one message cites them all', async () => {
    const { handle } = await turn([refuses(503, 'busy'), says('done')]);
    const { session } = handle.agent;
    const [message, ...others] = eventsOf(session, 'assistant/message');
    const chunks = eventsOf(session, 'assistant/chunk');

    expect(others).toEqual([]);
    expect(chunks.every(({ data, seq }) => data.step === 2 && seq < message!.seq)).toBe(true);
    expect(message!.sourceEventSeqs).toEqual(chunks.map(({ seq }) => seq));
  });

  it('L27 a retry that names another turn or step than the one just closed is not logged', async () => {
    const { handle, b } = await turn([says('done')]);
    const { session } = handle.agent;
    const failure = { message: 'busy', code: 'SERVER' };
    const retry = (at: { turn: number; step: number }) =>
      session.append('llm/retry', { ...at, retry: 1, maxRetries: 2, delayMs: 1, failure });
    session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: { kind: 'user' } } });

    expect(() => retry({ turn: 2, step: 1 })).toThrow(/last closed step/);
    session.append('step/start', { turn: 2, step: 1 });
    expect(() => retry({ turn: 2, step: 1 })).toThrow(/last closed step/);
    session.append('step/end', { turn: 2, step: 1 });
    expect(() => retry({ turn: 2, step: 2 })).toThrow(/last closed step/);
    expect(() => retry({ turn: 1, step: 1 })).toThrow(/last closed step/);
    retry({ turn: 2, step: 1 });

    expect(eventsOf(session, 'llm/retry')).toHaveLength(1);
    await b.ctx.fiber.dispose();
  });

  it('L23 a reply cut at the token limit keeps its text and drops its call', async () => {
    const cut = calls('bash', '{"command":"rm -rf x', { text: 'First I', finishReason: 'length' });
    const { handle } = await turn([cut]);

    expect(ran).toEqual([]);
    expect(ends(handle.agent.session)).toEqual([{ kind: 'max-tokens' }]);
    expect(handle.agent.session.deriveMessages().at(-1)!.content).toEqual(text('First I'));
  });

  it('L10 a recorded turn with a failed attempt runs again from its log alone, to the same history', async () => {
    const first = await turn([
      cutCall('destroy'),
      calls('bash', { command: 'ls' }, { reasoning: 'look' }),
      says('done'),
    ]);
    const b = await bench();
    await b.ctx.plugin(llmRetry, FAST);
    b.ctx.tools.register(tool('bash', async () => text('ran 1')));
    const handle = await b.create({ agentOptions: { provider: 'deepseek', model: 'deepseek-flash' } });
    await b.ctx.plugin(recorded, { recordings: new Map([[handle.agent.id, first.log]]) });

    handle.agent.send(text('fix it'));
    await handle.agent.whenIdle();

    expect(ends(handle.agent.session)).toEqual([{ kind: 'completed' }]);
    expect(handle.agent.session.deriveMessages()).toEqual(first.handle.agent.session.deriveMessages());
  });
});
