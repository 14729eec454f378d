import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/harness/agent/types.ts';
import { agentEvents } from '../../src/harness/agent/agent-events.ts';
import type { Context } from '../../src/harness/kernel/context.ts';
import { CallId } from '../../src/harness/llm/types.ts';
import type { GenerateOptions, StreamChunk } from '../../src/harness/llm/types.ts';
import { scopeTarget } from '../../src/harness/scope/scope.ts';
import type { Session } from '../../src/harness/session/session.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { ToolDispatchExecution, ToolExecutionResult } from '../../src/harness/tools/types.ts';
import { checkpointPolicy } from '../../src/store/checkpoint-policy.ts';
import { jsonlPersistence, openJsonlSessions } from '../../src/store/jsonl/jsonl-persistence.ts';
import { LogWriter, rootWithSessions, ROUTE, text, typesOf } from '../harness/session/session-fixture.ts';
import { headerOf } from './contract-storage.ts';
import { jsonlStorage } from './jsonl-storage.ts';
import type { JsonlStorage } from './jsonl-storage.ts';

const DONE: ToolExecutionResult = { content: text('done'), isError: false };

describe('persistence', () => {
  let ctx: Context;
  let session: Session;
  let did: string[];
  let flushError: Error | undefined;
  let onFlush: () => void;

  beforeEach(async () => {
    const root = await rootWithSessions();
    ctx = root.ctx;
    await ctx.plugin(checkpointPolicy);
    did = [];
    flushError = undefined;
    onFlush = () => {};
    ctx.on('session/flush', async () => {
      did.push('flush');
      onFlush();
      await new Promise(setImmediate);
      did.push('durable');
      if (flushError) throw flushError;
    });
    session = root.sessions.create(SessionId('s1'));
  });

  function stream(options: Partial<GenerateOptions>): AsyncIterable<StreamChunk> {
    return ctx.waterfall('llm/stream', { ...ROUTE, messages: [], ...options }, () => {
      did.push('open');
      return chunks();
    });
  }

  async function* chunks(): AsyncGenerator<StreamChunk> {
    try {
      yield { type: 'block-start', index: 0, blockType: 'text' };
      yield { type: 'finish', reason: { kind: 'stop' } };
    } finally {
      did.push('closed');
    }
  }

  function execute(change: Partial<ToolDispatchExecution> = {}): Promise<ToolExecutionResult> {
    const agent = { session } as Agent;
    const exec = {
      callId: CallId('c1'),
      name: 'bash',
      arguments: {},
      agent,
      token: Symbol('token'),
      signal: new AbortController().signal,
      ...change,
    } as ToolDispatchExecution;
    return Promise.resolve(
      ctx.waterfall(scopeTarget({}, agent) as never, 'tools/execute', exec, async () => {
        did.push('body');
        return DONE;
      }),
    );
  }

  it('P29 a request of a live session is durable before its stream is made', async () => {
    const seen: string[] = [];
    for await (const chunk of stream({ sessionId: session.id })) seen.push(chunk.type);

    expect(did).toEqual(['flush', 'durable', 'open', 'closed']);
    expect(seen).toEqual(['block-start', 'finish']);
  });

  it('P29 requests of no live session go straight through', async () => {
    for await (const _chunk of stream({ sessionId: SessionId('gone') })) break;
    for await (const _chunk of stream({})) break;

    expect(did).toEqual(['open', 'closed', 'open', 'closed']);
  });

  it('P29 a reader that stops early closes the stream, and one that never began opens none', async () => {
    for await (const _chunk of stream({ sessionId: session.id })) break;
    expect(did.at(-1)).toBe('closed');

    await stream({ sessionId: session.id })[Symbol.asyncIterator]().return?.();
    expect(did.filter((what) => what === 'open')).toHaveLength(1);
  });

  it('P29 a started call is durable before its body, and a nested call reuses that', async () => {
    expect(await execute()).toBe(DONE);
    expect(did).toEqual(['flush', 'durable', 'body']);

    await execute({ parent: Symbol('outer') as never });
    expect(did.slice(3)).toEqual(['body']);
  });

  it('P29 a step is stored beside what follows it, which waits for nothing', async () => {
    const agent = { session } as Agent;
    ctx.on('agent/post-step', () => void did.push('later'));

    await agentEvents(ctx, agent).serial('agent/post-step', 1, 1, new AbortController().signal);
    expect(did).toEqual(['later']);

    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(did).toEqual(['later', 'flush', 'durable']);
  });

  it('P30 what cannot be stored is not done', async () => {
    flushError = new Error('disk full');
    const agent = { session } as Agent;

    const request = (async () => {
      for await (const _chunk of stream({ sessionId: session.id })) did.push('chunk');
    })();
    await expect(request).rejects.toThrow('disk full');
    await expect(execute()).rejects.toThrow('disk full');
    await agentEvents(ctx, agent).serial('agent/post-step', 1, 1, new AbortController().signal);
    await new Promise(setImmediate);
    await expect(execute()).rejects.toThrow('disk full');

    expect(did.filter((what) => what !== 'flush' && what !== 'durable')).toEqual([]);
  });

  it('P30 a call that was cancelled while the log was stored is not started', async () => {
    const cancel = new AbortController();
    onFlush = () => cancel.abort();

    const result = await execute({ signal: cancel.signal });

    expect(result).toMatchObject({ isError: true, error: { code: 'ABORTED_BEFORE_DISPATCH' } });
    expect(did).not.toContain('body');
  });

  describe('with a file', () => {
    let storage: JsonlStorage;
    beforeEach(async () => {
      storage = await jsonlStorage()();
    });
    afterEach(() => storage.dispose());

    it('P31 after a crash the request, started calls and settled steps are there, and chunks since are not', async () => {
      const { ctx, sessions } = await rootWithSessions();
      await ctx.plugin(checkpointPolicy);
      await ctx.plugin(jsonlPersistence, { root: storage.root });
      const meta = headerOf('s2');
      const log = new LogWriter(sessions.create(meta.id, { meta })).turnWithCalls('c1').startCall('c1');
      const agent = { session: log.session } as Agent;
      const exec = { agent, signal: new AbortController().signal } as ToolDispatchExecution;
      await ctx.waterfall(scopeTarget({}, agent) as never, 'tools/execute', exec, async () => DONE);
      const atBody = log.session.seq;
      log.endCall('c1').endStep().startStep();
      for await (const _chunk of ctx.waterfall('llm/stream', { ...ROUTE, messages: [], sessionId: meta.id }, () =>
        chunks(),
      )) {
        log.chunk();
      }

      const { events } = await openJsonlSessions({ root: storage.root }).inspect(meta.id);

      expect(atBody).toBe(5);
      expect(typesOf(events)).toEqual([
        'turn/start',
        'user/message',
        'step/start',
        'assistant/message',
        'tool/call',
        'tool/result',
        'step/end',
        'step/start',
      ]);
      expect(log.session.seq).toBe(events.length + 2);
    });
  });
});
