import { describe, expect, it } from '@jest/globals';
import type { StreamChunk } from 'dsh-github/llm';
import { NdjsonAdapter } from './ndjson-adapter.ts';
import type { AnswerLine } from './ndjson-adapter.ts';
import { logged, openKernel, runTurn } from './support/open-kernel.ts';

const URL = 'http://model.test/answer';
const CITATION = { type: 'citation', title: 'Releases', url: 'https://handbook.test/releases' } as const;

/** A server in a function: one answer a request, and every request it got. */
function serverOf(...answers: (AnswerLine[] | number)[]) {
  const requests: { messages: { role: string; text: string }[] }[] = [];
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    requests.push(JSON.parse(String(init?.body)) as never);
    const answer = answers.shift() ?? 500;
    if (typeof answer === 'number') return new Response('no', { status: answer });
    return new Response(answer.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  return { requests, adapter: new NdjsonAdapter({ url: URL, fetch: fetch as typeof globalThis.fetch }) };
}

describe('bot-hosts', () => {
  it('H11 a model adapter from outside answers in the real loop, with a block of its own in log and history', async () => {
    const { adapter, requests } = serverOf(
      [
        { text: 'On Tuesdays.' },
        { cite: { title: CITATION.title, url: CITATION.url } },
        { used: { input: 9, output: 4 } },
      ],
      [{ text: 'As I said.' }],
    );
    const ctx = await openKernel(adapter);

    const agent = await runTurn(ctx, 'When do we release?');
    agent.send([{ type: 'text', text: 'Sure?' }]);
    await agent.whenIdle();

    const [reply] = logged(agent, 'assistant/message');
    expect(reply?.content).toEqual([{ type: 'text', text: 'On Tuesdays.' }, CITATION]);
    expect(reply?.usage).toEqual({ inputTokens: 9, outputTokens: 4 });
    expect(requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      text: 'On Tuesdays.\n[Releases](https://handbook.test/releases)',
    });
    await ctx.fiber.dispose();
  });

  it('H11 a refusal of its server ends the turn with a code that people and retries go by', async () => {
    const ctx = await openKernel(serverOf(401).adapter);

    const agent = await runTurn(ctx, 'Hello?');

    expect(logged(agent, 'turn/end')).toMatchObject([
      { reason: { kind: 'error', failure: { code: 'AUTH', status: 401, message: 'the server answered 401' } } },
    ]);
    await ctx.fiber.dispose();
  });

  it('H11 an answer that is cut off within a line is a failure, not a short answer', async () => {
    const fetch = async () => new Response('{"text":"On Tues');
    const adapter = new NdjsonAdapter({ url: URL, fetch: fetch as unknown as typeof globalThis.fetch });

    const chunks: StreamChunk[] = [];
    const read = async () => {
      for await (const chunk of adapter.stream({ provider: 'example', model: 'any', messages: [] })) chunks.push(chunk);
    };

    await expect(read()).rejects.toMatchObject({ code: 'STREAM_CLOSED' });
    expect(chunks).toEqual([]);
  });
});
