import { describe, expect, it } from '@jest/globals';
import { SessionStore } from '../../../src/harness/session/session-store.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { compactInOwnTurn } from '../../../src/seams/compaction/compact-in-own-turn.ts';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { ends, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { exported, replayFile } from '../../cli/support/logs.ts';
import { LogWriter, codeOf } from '../../harness/session/session-fixture.ts';
import { ScriptedModel, callBlock, calls, fails, reply, says } from '../../support/scripted-model.ts';
import {
  checkpoints,
  compactBench,
  isReproducible,
  priceOf,
  summarizesAs,
  textOf,
  withWindow,
} from './compact-bench.ts';

const WINDOW = 8_000;
const compact = { maxTokens: 500 };
const MAINTENANCE = {
  kind: 'maintenance',
  command: 'compact',
  actor: { id: 5, login: 'maria' },
} as const;

/** Summaries that carry on every number they were shown. */
function keepsNumbers({ messages }: GenerateOptions): string {
  const found = messages.slice(0, -1).flatMap((message) => blockTexts(message).match(/fact-\d+/g) ?? []);
  return [...new Set(found)].join(' ');
}

function blockTexts(message: GenerateOptions['messages'][number]): string {
  return JSON.stringify(message.content);
}

describe('compaction', () => {
  it('CP10 CP13 CP14 a turn whose history is 20 times the window ends right, and its log proves every request', async () => {
    const steps = 60;
    const facts = Array.from({ length: steps }, (_, step) => calls('look', { step }));
    const b = await compactBench([...facts, says('all done')], { compact });
    withWindow(b.model, WINDOW);
    const asked = summarizesAs(b.model, keepsNumbers);
    b.ctx.tools.register(
      tool('look', async (args) => text(`fact-${(args as { step: number }).step} ${'x'.repeat(11_000)}`)),
    );
    const { agent } = await b.create();

    agent.send(text('collect the facts'));
    await agent.whenIdle();

    const { session } = agent;
    const whole = eventsOf(session, 'tool/result').reduce((sum, event) => sum + JSON.stringify(event).length / 4, 0);
    expect(whole).toBeGreaterThan(20 * WINDOW);
    expect(ends(session)).toEqual([{ kind: 'completed' }]);
    expect(Math.max(...b.model.requests.map(priceOf))).toBeLessThan(WINDOW);
    const last = b.model.requests.at(-1)!.messages;
    const known = new Set(last.flatMap((message) => blockTexts(message).match(/fact-\d+/g) ?? []));
    expect(known.size).toBe(steps);
    expect(asked.length).toBeGreaterThan(20);
    expect(b.errors).toEqual([]);
    new SessionStore(new Context()).prepare(SessionId('again'), { seed: session.events });
    expect(isReproducible(session)).toBe(true);
    const { code, result } = await replayFile(exported(session, session.events), true);
    expect(result.summary).toMatchObject({ proven: true });
    expect(code).toBe(0);
  });

  it('N1 CP17 CP18 CP20 a stored session of 20 windows is resumed: one overflow, summarized part by part, goes on', async () => {
    const b = await compactBench([says('I know them')], { compact });
    withWindow(b.model, WINDOW);
    const asked = summarizesAs(b.model, keepsNumbers);
    const log = new LogWriter();
    for (let turn = 0; turn < 60; turn += 1) log.shortTurn(`fact-${turn} ${'x'.repeat(5_000)}`, 'y'.repeat(6_000));
    const { agent } = await b.create({ seed: log.session.events });

    agent.send(text('which facts?'));
    await agent.whenIdle();

    const { session } = agent;
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
    expect(checkpoints(session)).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(20);
    expect(Math.max(...asked.map(priceOf))).toBeLessThan(WINDOW);
    const [checkpoint] = b.model.requests.at(-1)!.messages;
    expect(new Set(textOf(checkpoint).match(/fact-\d+/g)).size).toBe(60);
    expect(textOf(b.model.requests.at(-1)!.messages.at(-1))).toBe('which facts?');
    expect(isReproducible(session)).toBe(true);
  });

  it('CP18 CP20 where the window is not known, a summary that overflows is tried on half of it', async () => {
    const b = await compactBench([says('done')], { compact });
    withWindow(b.model, WINDOW);
    b.model.resolveModelContext = async () => undefined;
    const { stream } = b.model;
    const prices: number[] = [];
    b.model.stream = (options) => {
      if (options.purpose !== 'compaction') return stream(options);
      prices.push(priceOf(options));
      const answer = priceOf(options) > WINDOW ? fails('CONTEXT_WINDOW_EXCEEDED') : says(keepsNumbers(options));
      return new ScriptedModel([answer]).stream(options);
    };
    const log = new LogWriter();
    for (let turn = 0; turn < 8; turn += 1) log.shortTurn(`fact-${turn} ${'x'.repeat(5_000)}`, 'y'.repeat(6_000));
    const { agent } = await b.create({ seed: log.session.events });

    agent.send(text('go on'));
    await agent.whenIdle();

    expect(prices[0]).toBeGreaterThan(2 * WINDOW);
    expect(ends(agent.session).at(-1)).toEqual({ kind: 'completed' });
    expect(textOf(b.model.requests.at(-1)!.messages[0]).match(/fact-\d+/g)).toHaveLength(8);
  });

  it('M20 a result far beyond the window is cut with a pointer before anything is summarized', async () => {
    const b = await compactBench([calls('huge'), says('done')], {
      compact,
      prune: { thresholdChars: 8192, headChars: 4096, tailChars: 1024 },
    });
    withWindow(b.model, WINDOW);
    b.ctx.tools.register(tool('huge', async () => text('z'.repeat(2_000_000))));
    const { agent } = await b.create();

    agent.send(text('go'));
    await agent.whenIdle();

    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
    expect(b.model.requests).toHaveLength(2);
    expect(JSON.stringify(b.model.requests[1])).toContain('tool result middle pruned');
  });

  it('CP6 CP18 compact on a session that rests: a maintenance turn of no step, flushed, and what it gained', async () => {
    const b = await compactBench([says('short')], { compact });
    const session = b.ctx.sessions.create(SessionId('idle'));
    new LogWriter(session).shortTurn('x'.repeat(9_000), 'y'.repeat(9_000)).shortTurn('a', 'b');
    const flushed: number[] = [];
    b.ctx.on('session/flush', (flushing) => void flushed.push(flushing.seq));
    const agent = { session, options: { provider: 'test', model: 'm1' } };

    const result = await compactInOwnTurn(b.ctx, agent, { trigger: MAINTENANCE, signal: new AbortController().signal });

    expect(result?.shadowedTokenCount).toBeGreaterThan(4_500);
    expect(session.events.filter(({ type }) => type === 'turn/start').at(-1)).toMatchObject({
      data: { turn: 3, trigger: MAINTENANCE },
    });
    expect(session.events.at(-1)).toMatchObject({ type: 'turn/end', data: { turn: 3, reason: { kind: 'completed' } } });
    expect(flushed).toEqual([session.seq]);
    expect(session.deriveMessages().map(textOf)).toEqual([expect.stringContaining('short'), 'b']);
  });

  it('CP6 compact refuses a session that is parked or at work, and closes its turn when it fails', async () => {
    const b = await compactBench([reply([callBlock('x')], { kind: 'tool-calls' })], { compact });
    const run = async (log: LogWriter) => {
      const seq = log.session.seq;
      const session = b.ctx.sessions.create(SessionId(`r${seq}`), { seed: log.session.events });
      const agent = { session, options: { provider: 'test', model: 'm1' } };
      const running = compactInOwnTurn(b.ctx, agent, { trigger: MAINTENANCE, signal: new AbortController().signal });
      return {
        session,
        code: await running.then(
          () => 'done',
          (error: { code?: string }) => error.code,
        ),
      };
    };

    const parked = await run(new LogWriter().parkedTurn('a'));
    expect([parked.code, parked.session.events.at(-1)?.type]).toEqual(['COMPACT_PARKED', 'turn/end']);
    expect((await run(new LogWriter().startTurn())).code).toBe('COMPACT_TURN_OPEN');
    const failed = await run(new LogWriter().shortTurn('x'.repeat(9_000), 'y'));
    expect(failed.code).not.toBe('done');
    expect(failed.session.events.at(-1)).toMatchObject({
      type: 'turn/end',
      data: { reason: { kind: 'error', step: 0 } },
    });
    expect(codeOf(() => failed.session.append('todo/write', { todos: [] }))).toBe('NOT_ENCLOSED');
  });
});
