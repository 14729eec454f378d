/** What an outsider writes against the published package: the examples, mounted in a kernel and in a bot. */
import { createBot, readEnv } from 'dsh-github';
import type { ContentBlock } from 'dsh-github/llm';
import type { SessionEvent, TurnTrigger } from 'dsh-github/session';
import { memoryPersistence } from '../../examples/plugins/memory-persistence.ts';
import { NdjsonAdapter } from '../../examples/plugins/ndjson-adapter.ts';
import type { AnswerLine } from '../../examples/plugins/ndjson-adapter.ts';
import { onCallTool } from '../../examples/plugins/on-call-tool.ts';
import { protectedPaths } from '../../examples/plugins/protected-paths.ts';
import { reopenedIssue } from '../../examples/plugins/reopened-issue.ts';
import { openKernel, runTurn } from '../../examples/plugins/support/open-kernel.ts';

// What was merged from outside is known everywhere, and as strictly as what was there before.
export const block: ContentBlock = { type: 'citation', title: 'Releases', url: 'https://handbook.test' };
export const trigger: TurnTrigger = { kind: 'issue-reopened', issue: 3, by: 'maria' };
export const personOf = (event: SessionEvent) => (event.type === 'on-call/looked-up' ? event.data.person : undefined);
// @ts-expect-error a citation has a url
export const halfBlock: ContentBlock = { type: 'citation', title: 'Releases' };
// @ts-expect-error there is no such trigger
export const noTrigger: TurnTrigger = { kind: 'issue-pinned', issue: 3 };

const answers: AnswerLine[][] = [
  [{ call: { id: 'c1', name: 'on_call', arguments: { team: 'payments' } } }],
  [{ text: 'Ask Maria.' }, { cite: { title: 'Rota', url: 'https://handbook.test/rota' } }],
];
const fetch = async () =>
  new Response(
    answers
      .shift()
      ?.map((line) => `${JSON.stringify(line)}\n`)
      .join('') ?? '',
  );
const adapter = new NdjsonAdapter({ url: 'http://handbook.test', fetch: fetch as typeof globalThis.fetch });
const plugins = [onCallTool({ whoIsOnCall: async () => 'Maria' }), protectedPaths(['LICENSE'])];

const ctx = await openKernel(adapter, [memoryPersistence, ...plugins]);
const agent = await runTurn(ctx, 'Whom do I ask about payments?');
const stored = await ctx.persistence.inspect(agent.id);
await ctx.fiber.dispose();

const bot = createBot({
  env: readEnv({ DSH_DATA_DIR: process.argv[2], DSH_MODEL: 'handbook/any' }),
  identity: { product: 'consumer', version: '1.0.0', url: 'https://consumer.test' },
  log: console.error,
  adapters: { handbook: adapter },
  readers: [reopenedIssue],
  plugins,
});
console.log(
  JSON.stringify({
    person: stored.events.map(personOf).find(Boolean),
    said: stored.events.findLast(({ type }) => type === 'assistant/message')?.data,
    readers: bot.readers.length,
    sessions: await bot.sessions.list(),
  }),
);
await bot.close();
