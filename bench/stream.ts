import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { Context } from '../src/harness/kernel/context.ts';
import { BlockAssembler } from '../src/harness/llm/block-assembler.ts';
import { sessionStore } from '../src/harness/session/session-store.ts';
import { SessionId } from '../src/harness/session/types.ts';
import { createModels } from '../src/models/create-models.ts';
import { ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const CHUNKS = 40_000;

/** B11: SSE bytes to chunks to assembler to log, against the client's own stream alone. */
export const stream: Benchmark = {
  id: 'B11',
  async run(rounds) {
    const body = sseBody();
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const rate = async (work: () => Promise<void>) => {
      const startedAt = performance.now();
      await work();
      return body.length / 1e6 / ((performance.now() - startedAt) / 1_000);
    };
    const [figure, reference] = await takeTurns(
      rounds,
      () => rate(() => ours(baseUrl)),
      () => rate(() => theirs(baseUrl)),
    );
    server.closeAllConnections();
    server.close();
    return [ratioRow('B11', 'stream to log', { figure, reference, unit: 'MB/s' }, { atLeast: 0.7 })];
  },
};

function sseBody(): Buffer {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const text = Array.from({ length: CHUNKS }, (_, i) => chunk({ content: `word ${i} ` }));
  return Buffer.from([...text, chunk({}, 'stop'), 'data: [DONE]\n\n'].join(''));
}

async function ours(baseUrl: string): Promise<void> {
  const models = createModels({
    env: { DSH_MODEL: 'bench/bench', DSH_MODEL_BASE_URL: baseUrl },
    identity: { product: 'dsh-bench', version: '0', url: 'https://example.com' },
    now: () => new Date(),
    apiKey: 'bench-key',
  });
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  const session = ctx.sessions.create(SessionId('bench'));
  session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
  session.append('step/start', { turn: 1, step: 1 });
  const assembler = new BlockAssembler();
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }];
  for await (const chunk of models.routes.get('bench')!.stream({ provider: 'bench', model: 'bench', messages })) {
    session.append('assistant/chunk', { turn: 1, step: 1, chunk });
    assembler.push(chunk);
  }
  assembler.message();
}

async function theirs(baseURL: string): Promise<void> {
  const client = new OpenAI({ apiKey: 'bench', baseURL, maxRetries: 0 });
  const chunks = await client.chat.completions.create({
    model: 'bench',
    messages: [{ role: 'user', content: 'go' }],
    stream: true,
  });
  for await (const _ of chunks);
}
