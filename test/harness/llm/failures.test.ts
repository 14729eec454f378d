import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { isLlmAdapterFailure, llmFailureOf } from '../../../src/harness/llm/call-failures.ts';
import { HarnessError, LlmError } from '../../../src/harness/llm/errors.ts';
import { failureFactsOf } from '../../../src/harness/llm/failure-facts.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import type { StreamChunk } from '../../../src/harness/llm/types.ts';
import { ask, collect, failing, failureOf, reply, ScriptedAdapter } from './scripted-adapter.ts';

async function start(answer: () => AsyncIterable<StreamChunk>): Promise<Context> {
  const ctx = new Context();
  await ctx.plugin(llm);
  ctx.llm.registerAdapter(['test'], new ScriptedAdapter(answer));
  return ctx;
}

function iterable(iterator: Partial<AsyncIterator<StreamChunk>>): AsyncIterable<StreamChunk> {
  return { [Symbol.asyncIterator]: () => iterator as AsyncIterator<StreamChunk> };
}

describe('llm-streaming', () => {
  it('L10 a failure may be thrown or be the finish of the stream, with the same facts', async () => {
    const error = new LlmError('busy', 'SERVER', { status: 503 });
    const thrown = await start(() => failing(error));
    const finished = await start(async function* () {
      yield { type: 'finish', reason: { kind: 'error', failure: error.failure } };
    });

    const stream = thrown.llm.stream(ask());
    const facts = llmFailureOf(stream, await failureOf(stream));
    const chunks = await collect(finished.llm.stream(ask()));

    expect(facts).toEqual({ message: 'busy', code: 'SERVER', status: 503 });
    expect(chunks).toEqual([{ type: 'finish', reason: { kind: 'error', failure: facts } }]);
  });

  it.each<[string, () => AsyncIterable<StreamChunk>]>([
    [
      'the call of the adapter',
      () => {
        throw new Error('bang');
      },
    ],
    [
      'making the iterator',
      () => ({
        [Symbol.asyncIterator]: () => {
          throw new Error('bang');
        },
      }),
    ],
    ['a read', () => failing(new Error('bang'))],
  ])('L11 an error from %s is tagged', async (_what, answer) => {
    const ctx = await start(answer);

    const stream = ctx.llm.stream(ask());
    const error = await failureOf(stream);

    expect(error).toMatchObject({ message: 'bang' });
    expect(llmFailureOf(stream, error)).toEqual({ message: 'bang', code: 'UNKNOWN' });
  });

  it('L11 a missing adapter is a failure of the call', async () => {
    const ctx = await start(() => reply('x'));

    const stream = ctx.llm.stream(ask({ provider: 'nobody' }));

    expect(llmFailureOf(stream, await failureOf(stream))).toMatchObject({ code: 'NO_ADAPTER' });
  });

  it('L11 what a listener or the consumer throws is not tagged', async () => {
    const ctx = await start(() => reply('x'));
    const ofListener = new Error('listener');
    ctx.on('llm/stream', async function* (options, next) {
      if (options.model === 'broken') throw ofListener;
      yield* next();
    });
    const broken = ctx.llm.stream(ask({ model: 'broken' }));
    const fine = ctx.llm.stream(ask());
    const ofConsumer = new Error('consumer');

    expect(await failureOf(broken)).toBe(ofListener);
    const consumed = (async () => {
      for await (const _chunk of fine) throw ofConsumer;
    })();
    await expect(consumed).rejects.toBe(ofConsumer);

    expect(isLlmAdapterFailure(broken, ofListener)).toBe(false);
    expect(isLlmAdapterFailure(fine, ofConsumer)).toBe(false);
  });

  it('L11 the failure of a nested call belongs to the nested call only', async () => {
    const error = new LlmError('busy', 'SERVER');
    const ctx = await start(() => failing(error));
    let nested: AsyncIterable<StreamChunk> | undefined;
    ctx.on('llm/stream', (options, next) => {
      if (options.purpose) return next();
      nested = ctx.llm.stream({ ...options, purpose: 'compaction' });
      return nested;
    });

    const outer = ctx.llm.stream(ask());

    expect(await failureOf(outer)).toBe(error);
    expect(isLlmAdapterFailure(outer, error)).toBe(false);
    expect(isLlmAdapterFailure(nested!, error)).toBe(true);
  });

  it('L11 each call has its own handle, even where a listener hands out one iterable twice', async () => {
    const error = new LlmError('busy', 'SERVER');
    const ctx = await start(() => failing(error));
    let shared: AsyncIterable<StreamChunk> | undefined;
    ctx.on('llm/stream', (_options, next) => (shared ??= next()));

    const first = ctx.llm.stream(ask());
    const second = ctx.llm.stream(ask());
    await failureOf(first);

    expect(first).not.toBe(second);
    expect(isLlmAdapterFailure(first, error)).toBe(true);
    expect(isLlmAdapterFailure(second, error)).toBe(false);
  });

  it('L12 the original error comes out, and a value that is none is wrapped once', async () => {
    const value = {
      toString: () => {
        throw new Error('no');
      },
    };
    const ctx = await start(() => failing(value));

    const stream = ctx.llm.stream(ask());
    const error = (await failureOf(stream)) as LlmError;

    expect(error.code).toBe('UNKNOWN');
    expect(error.cause).toBe(value);
    expect(llmFailureOf(stream, error)).toMatchObject({ code: 'UNKNOWN' });
  });

  it('L12 the facts of a foreign error are believed by their data, not by its class', () => {
    const failure = { message: 'busy', code: 'SERVER', status: 503, providerRetryAfterMs: 1000, requestId: 'r' };
    const foreign = Object.assign(new Error('busy'), { code: 'SERVER', failure });

    const facts = failureFactsOf(foreign);
    failure.status = 200;

    expect(facts).toEqual({ ...failure, status: 503 });
    expect(Object.isFrozen(facts)).toBe(true);
  });

  it.each<[string, object]>([
    ['a status out of range', { status: 42 }],
    ['a delay that is text', { providerRetryAfterMs: '5' }],
    ['an empty request id', { requestId: '' }],
    ["a code that is not the error's own", { code: 'AUTH' }],
    ['a message that is no text', { message: 7 }],
  ])('L12 %s drops the whole payload', (_what, wrong) => {
    const failure = { message: 'detail', code: 'SERVER', status: 503, ...wrong };
    const error = Object.assign(new Error('busy'), { code: 'SERVER', failure });

    expect(failureFactsOf(error)).toEqual({ message: 'busy', code: 'SERVER' });
  });

  it('L12 accessors are not run and a hostile payload cannot break through', () => {
    let ran = 0;
    const error = new HarnessError('busy', 'SERVER');
    Object.defineProperty(error, 'failure', { get: () => (ran += 1) });
    const proxied = Object.assign(new Error('busy'), {
      code: 'SERVER',
      failure: new Proxy(
        {},
        {
          getOwnPropertyDescriptor: () => {
            throw new Error('trap');
          },
        },
      ),
    });
    const noCode = Object.defineProperty(new Error('busy'), 'code', {
      get: () => {
        throw new Error('trap');
      },
    });

    expect(failureFactsOf(error)).toEqual({ message: 'busy', code: 'SERVER' });
    expect(failureFactsOf(proxied)).toEqual({ message: 'busy', code: 'SERVER' });
    expect(failureFactsOf(noCode)).toEqual({ message: 'busy', code: 'UNKNOWN' });
    expect(ran).toBe(0);
  });

  it('L14 after a rejected read the iterator is not returned', async () => {
    let returned = 0;
    const ctx = await start(() =>
      iterable({
        next: async () => {
          throw new Error('bang');
        },
        return: async () => ({ done: true, value: (returned += 1) }),
      }),
    );

    await failureOf(ctx.llm.stream(ask()));

    expect(returned).toBe(0);
  });

  it('L14 a consumer that stops early returns the iterator once and waits for it', async () => {
    const order: string[] = [];
    const ctx = await start(() =>
      iterable({
        next: async () => ({ done: false, value: { type: 'block-start', index: 0, blockType: 'text' } }),
        return: async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          order.push('returned');
          return { done: true, value: undefined };
        },
      }),
    );

    for await (const _chunk of ctx.llm.stream(ask())) break;
    order.push('left');

    expect(order).toEqual(['returned', 'left']);
  });

  it('L14 a failing return reaches the consumer and is no model failure', async () => {
    const broken = new Error('cannot close');
    const ctx = await start(() =>
      iterable({
        next: async () => ({ done: false, value: { type: 'block-start', index: 0, blockType: 'text' } }),
        return: async () => {
          throw broken;
        },
      }),
    );
    const stream = ctx.llm.stream(ask());

    const stopped = (async () => {
      for await (const _chunk of stream) break;
    })();

    await expect(stopped).rejects.toBe(broken);
    expect(isLlmAdapterFailure(stream, broken)).toBe(false);
  });
});
