import { describe, expect, it } from '@jest/globals';
import { Context } from '../../src/harness/kernel/context.ts';
import { markAgentLoopRequest } from '../../src/harness/llm/agent-loop-request.ts';
import { chunkValidator } from '../../src/harness/llm/chunk-validator.ts';
import { llm } from '../../src/harness/llm/llm-service.ts';
import type { GenerateOptions, LlmFailure, StreamChunk } from '../../src/harness/llm/types.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent, SessionEventMap, SessionEventType } from '../../src/harness/session/types.ts';
import { recorded } from '../../src/models/recorded.ts';
import { recordedCalls } from '../../src/models/recorded-calls.ts';
import { ask, collect, collectFailing } from './adapter-fixture.ts';

class Log {
  readonly events: SessionEvent[] = [];
  add<T extends SessionEventType>(type: T, data: SessionEventMap[T]): this {
    this.events.push({ type, data, seq: this.events.length, time: 0 } as unknown as SessionEvent);
    return this;
  }
  chunks(turn: number, step: number, ...chunks: StreamChunk[]): this {
    for (const chunk of chunks) this.add('assistant/chunk', { turn, step, chunk });
    return this;
  }
}

const start: StreamChunk = { type: 'block-start', index: 0, blockType: 'text' };
const text = (value: string): StreamChunk => ({ type: 'text-delta', index: 0, text: value });
const end = (value: string): StreamChunk => ({ type: 'block-end', index: 0, block: { type: 'text', text: value } });
const finish: StreamChunk = { type: 'finish', reason: { kind: 'stop' } };
const whole = (value: string): StreamChunk[] => [start, text(value), end(value), finish];
const busy: LlmFailure = { message: 'busy', code: 'SERVER', status: 503 };

const ID = SessionId('s1');
const loopRequest = (more: Partial<GenerateOptions> = {}) => markAgentLoopRequest(ask({ sessionId: ID, ...more }));

async function replaying(...logs: [SessionId, Log][]): Promise<Context> {
  const ctx = new Context();
  await ctx.plugin(llm);
  await ctx.plugin(recorded, { recordings: new Map(logs.map(([id, log]) => [id, log.events])) });
  await ctx.plugin(chunkValidator);
  return ctx;
}

describe('llm-streaming', () => {
  it('L5 a recorded log answers its own requests again, in order, without key or network', async () => {
    const log = new Log()
      .chunks(1, 1, ...whole('one'))
      .chunks(1, 2, ...whole('two'))
      .chunks(2, 1, ...whole('three'));
    const ctx = await replaying([ID, log]);

    for (const said of ['one', 'two', 'three']) {
      expect(await collect(ctx.llm.stream(loopRequest()))).toEqual(whole(said));
    }

    expect((await collectFailing(ctx.llm.stream(loopRequest()))).error).toMatchObject({ code: 'RECORDING_EXHAUSTED' });
  });

  it('L5 each session has its own cursor, and auxiliary calls do not move it', async () => {
    const other = SessionId('s2');
    const ctx = await replaying(
      [ID, new Log().chunks(1, 1, ...whole('mine'))],
      [other, new Log().chunks(1, 1, ...whole('theirs'))],
    );

    const theirs = await collect(ctx.llm.stream(loopRequest({ sessionId: other })));
    const summary = await collectFailing(ctx.llm.stream(ask({ sessionId: ID, purpose: 'compaction' })));
    const stranger = await collectFailing(ctx.llm.stream(loopRequest({ sessionId: SessionId('s3') })));

    expect(theirs).toEqual(whole('theirs'));
    expect(summary.error).toMatchObject({ code: 'NO_ADAPTER' });
    expect(stranger.error).toMatchObject({ code: 'NO_ADAPTER' });
    expect(await collect(ctx.llm.stream(loopRequest()))).toEqual(whole('mine'));
  });

  it('L10 a group without finish fails again, with the recorded facts, as a well-formed stream', async () => {
    const log = new Log()
      .chunks(1, 1, start, text('ha'))
      .add('llm/retry', { turn: 1, step: 1, retry: 1, maxRetries: 2, delayMs: 5, failure: busy })
      .chunks(1, 2, ...whole('done'));
    const ctx = await replaying([ID, log]);

    expect(await collect(ctx.llm.stream(loopRequest()))).toEqual([
      start,
      text('ha'),
      end('ha'),
      { type: 'finish', reason: { kind: 'error', failure: busy } },
    ]);
    expect(await collect(ctx.llm.stream(loopRequest()))).toEqual(whole('done'));
  });

  it('L10 a call that failed before its first chunk is a call too', () => {
    const log = new Log()
      .add('llm/retry', { turn: 1, step: 1, retry: 1, maxRetries: 2, delayMs: 5, failure: busy })
      .add('turn/end', { turn: 1, reason: { kind: 'error', step: 2, failure: { ...busy, code: 'AUTH' } } });

    expect(recordedCalls(log.events)).toEqual([
      { chunks: [], failure: busy },
      { chunks: [], failure: { ...busy, code: 'AUTH' } },
    ]);
  });

  it('L10 a stream the person stopped is told from one that broke', () => {
    const stopped = new Log().chunks(1, 1, start).add('turn/end', { turn: 1, reason: { kind: 'aborted' } });
    const broken = new Log().chunks(1, 1, start);

    expect(recordedCalls(stopped.events)[0]!.failure!.code).toBe('ABORTED');
    expect(recordedCalls(broken.events)[0]!.failure!.code).toBe('STREAM_CLOSED');
  });
});
