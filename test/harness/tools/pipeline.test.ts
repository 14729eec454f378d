import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { PostToolDecision, ToolExecution, ToolExecutionInput } from '../../../src/harness/tools/types.ts';
import { context, contextsOf, textOf, tool, ToolWorld } from './tool-world.ts';

function traced(extra: Parameters<typeof tool>[1] = {}) {
  const world = new ToolWorld().trace();
  const run = extra.execute ?? (async () => [{ type: 'text' as const, text: 'done' }]);
  world.ctx.tools.register(
    tool('echo', {
      ...extra,
      execute: (args, exec) => {
        world.log.push('body');
        return run(args, exec);
      },
    }),
  );
  return world;
}

const aborted = { name: 'AbortError', code: 'ABORTED' };
const abortedBefore = { name: 'AbortError', code: 'ABORTED_BEFORE_DISPATCH' };

describe('tools', () => {
  it('T6 input is read once, and arguments are a frozen copy that the caller can no longer change', async () => {
    const reads: string[] = [];
    const args = { list: [1] };
    let seen: unknown;
    const world = traced({ execute: async (given) => ((seen = given), []) });
    const input = new Proxy(world.input({ arguments: args }), {
      get: (target, key: keyof ToolExecutionInput) => (reads.push(key), target[key]),
    });
    world.ctx.on('tools/pre-execute', (_exec, next) => (args.list.push(2), next()));

    await world.ctx.tools.execute(input);

    expect(reads.toSorted()).toEqual(['agent', 'arguments', 'callId', 'name', 'parent', 'signal']);
    expect(seen).toEqual({ list: [1] });
    expect(() => (seen as typeof args).list.push(3)).toThrow(TypeError);
  });

  it('T6 each execution has a token of its own, and keeps that of its parent', async () => {
    const world = traced();
    const parent = Symbol('outer') as ToolExecution['token'];

    await world.call({ parent });
    await world.call();

    const [first, second] = world.published;
    expect(typeof first!.exec.token).toBe('symbol');
    expect(first!.exec.token).not.toBe(second!.exec.token);
    expect([first!.exec.parent, second!.exec.parent]).toEqual([parent, undefined]);
  });

  it.each([
    ['arguments that are not JSON', { arguments: { f: () => {} } }],
    ['a number JSON would lose', { arguments: [NaN] }],
    ['no signal', { signal: undefined as never }],
    [
      'a throwing getter',
      {
        get name(): string {
          throw new Error('hostile');
        },
      },
    ],
  ])('T6 with %s the call ends past all policy, but published', async (_what, bad) => {
    const world = traced();
    const input = Object.defineProperties(world.input(), Object.getOwnPropertyDescriptors(bad));

    const result = await world.ctx.tools.execute(input);

    expect(result.isError).toBe(true);
    expect(world.log).toEqual(['result']);
  });

  it('T6 bad arguments win over a signal that is aborted already', async () => {
    const result = await traced().call({ arguments: undefined, signal: AbortSignal.abort() });

    expect(result.error).toBeUndefined();
    expect(textOf(result)).toContain('not lossless JSON');
  });

  it('T7 an aborted signal skips everything and publishes one result', async () => {
    const world = traced();

    const result = await world.call({ signal: AbortSignal.abort() });

    expect(result).toEqual({
      content: [{ type: 'text', text: 'Error: tool call aborted before dispatch' }],
      isError: true,
      error: abortedBefore,
    });
    expect(world.log).toEqual(['result']);
  });

  it('T8 deny is an error without a code; wrappers and body are left out, judging and publishing are not', async () => {
    const world = traced();
    world.ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'not here' }));

    const result = await world.call();

    expect(result).toEqual({ content: [{ type: 'text', text: 'Error: not here' }], isError: true });
    expect(world.log).toEqual(['pre', 'post', 'result']);
  });

  it('T10 policy cannot rewrite a call', async () => {
    const world = traced();
    world.ctx.on('tools/pre-execute', (exec, next) => {
      expect(() => Object.assign(exec, { arguments: { other: 1 } })).toThrow(TypeError);
      expect(() => Object.assign(exec.arguments as object, { other: 1 })).toThrow(TypeError);
      return next();
    });
    world.ctx.on('tools/execute', (exec, next) => {
      expect(() => Object.assign(exec, { arguments: { other: 1 } })).toThrow(TypeError);
      return next();
    });

    expect(textOf(await world.call())).toBe('done');
    expect.assertions(4);
  });

  it('T11 guards are asked after all policy, global ones first, and the first string denies', async () => {
    const world = traced();
    world.scope.ctx.tools.guard(() => (world.log.push('scoped guard'), 'scoped no'));
    world.ctx.tools.guard(() => (world.log.push('global guard'), undefined));
    world.scope.ctx.tools.guard(() => (world.log.push('never asked'), 'later no'));
    world.ctx.on('tools/pre-execute', () => ({ kind: 'allow' }), { prepend: true });

    const result = await world.call();

    expect(textOf(result)).toBe('Error: scoped no');
    expect(world.log).toEqual(['guard', 'global guard', 'scoped guard', 'post', 'result']);
    expect(textOf(await world.call({ agent: world.other }))).toBe('done');
  });

  it('T11 a guard that is added while guards are asked is asked at once', async () => {
    const world = traced();
    let added = false;
    world.ctx.tools.guard(() => {
      if (!added) world.ctx.tools.guard(() => 'the added one says no');
      added = true;
      return undefined;
    });

    expect(textOf(await world.call())).toBe('Error: the added one says no');
  });

  it('T12 wrappers get a result whatever happened, and may answer without the body', async () => {
    const world = traced({
      execute: async () => {
        throw new Error('broken');
      },
    });
    const seen: string[] = [];
    const off = world.ctx.on('tools/execute', async (_exec, next) => {
      const result = await next();
      seen.push(textOf(result));
      return result;
    });
    await world.call();
    await world.call({ name: 'unknown' });
    expect(seen).toEqual([
      'Error: broken',
      expect.stringMatching(/^Error: unknown tool: unknown — (?:did you mean .+\? )?there are: /),
    ]);

    await off();
    world.log.length = 0;
    world.ctx.on('tools/execute', () => ({ content: [{ type: 'text', text: 'cached' }], isError: false }));
    expect(textOf(await world.call())).toBe('cached');
    expect(world.log).toEqual(['pre', 'guard', 'execute', 'post', 'result']);
  });

  it('T12 a wrapper may replace the signal, not remove it, and the caller still gets through', async () => {
    let seen: AbortSignal | undefined;
    const caller = new AbortController();
    const wrapper = new AbortController();
    const world = traced({
      execute: async (_args, exec) => {
        seen = exec.signal;
        caller.abort('stop');
        return [];
      },
    });
    world.ctx.on('tools/execute', async (exec, next) => {
      const before = exec.signal;
      expect(() => Object.assign(exec, { signal: undefined })).toThrow(TypeError);
      expect(Reflect.deleteProperty(exec, 'signal')).toBe(false);
      exec.signal = wrapper.signal;
      try {
        return await next();
      } finally {
        exec.signal = before;
      }
    });

    const result = await world.call({ signal: caller.signal });

    expect(seen).not.toBe(caller.signal);
    expect([seen!.aborted, seen!.reason]).toEqual([true, 'stop']);
    expect(result.error).toEqual(aborted);
    expect(world.published[0]!.exec.signal).toBe(caller.signal);
  });

  it('T12 a body that is not to start under an aborted replacement does not', async () => {
    const world = traced();
    world.ctx.on('tools/execute', (exec, next) => {
      exec.signal = AbortSignal.abort();
      return next();
    });

    expect((await world.call()).error).toEqual(abortedBefore);
    expect(world.log).not.toContain('body');
  });

  it('T13 the body is awaited, never raced, even if a wrapper answers early', async () => {
    const world = traced({
      execute: async () => {
        await sleep(10);
        world.log.push('body ended');
        return [];
      },
    });
    world.ctx.on('tools/execute', (_exec, next) => {
      void next();
      return { content: [], isError: false };
    });

    await world.call();

    expect(world.log).toEqual(['pre', 'guard', 'execute', 'body', 'body ended', 'post', 'result']);
  });

  it.each(['pre', 'guard', 'execute'])('T13 a cancel during %s is before the body', async (stage) => {
    const caller = new AbortController();
    const world = traced();
    const cancelAt = <T>(at: string, next: () => T): T => {
      if (at === stage) caller.abort();
      return next();
    };
    world.ctx.on('tools/pre-execute', (_exec, next) => cancelAt('pre', next));
    world.ctx.tools.guard(() => cancelAt('guard', () => undefined));
    world.ctx.on('tools/execute', (_exec, next) => cancelAt('execute', next));

    expect((await world.call({ signal: caller.signal })).error).toEqual(abortedBefore);
    expect(world.log).not.toContain('body');
  });

  it('T13 a cancelled call whose wrapper answered without the body had no effect', async () => {
    const caller = new AbortController();
    const world = traced();
    world.ctx.on('tools/execute', () => (caller.abort(), { content: [], isError: false }));

    expect((await world.call({ signal: caller.signal })).error).toEqual(abortedBefore);
  });

  it('T13 a cancel while the body runs replaces a success', async () => {
    const caller = new AbortController();
    const world = traced({ execute: async () => (caller.abort(), [{ type: 'text', text: 'done' }]) });

    const result = await world.call({ signal: caller.signal });

    expect(result).toEqual({
      content: [{ type: 'text', text: 'Error: tool call aborted' }],
      isError: true,
      error: aborted,
    });
  });

  it.each(['deny', 'guard', 'body', 'wrapper', 'wrapper result', 'post'])(
    'T13 a cancel does not hide the more specific failure of %s',
    async (where) => {
      const caller = new AbortController();
      const fail = (at: string) => {
        if (at !== where) return;
        caller.abort();
        throw new Error(`${where} failed`);
      };
      const world = traced({ execute: async () => (fail('body'), []) });
      world.ctx.on('tools/pre-execute', (_exec, next) => {
        if (where !== 'deny') return next();
        caller.abort();
        return { kind: 'deny', reason: 'deny failed' };
      });
      world.ctx.tools.guard(() => {
        if (where === 'guard') caller.abort();
        return where === 'guard' ? 'guard failed' : undefined;
      });
      world.ctx.on('tools/execute', async (_exec, next) => {
        const result = await next();
        fail('wrapper');
        if (where !== 'wrapper result') return result;
        caller.abort();
        return { content: [{ type: 'text', text: 'Error: wrapper result failed' }], isError: true };
      });
      world.ctx.on('tools/post-execute', (_exec, _result, next) => (fail('post'), next()));

      const result = await world.call({ signal: caller.signal });

      expect(textOf(result)).toBe(`Error: ${where} failed`);
      expect(result.error).toBeUndefined();
    },
  );

  it.each<[string, unknown, string, unknown]>([
    ['a plain error', new Error('no file'), 'Error: no file', undefined],
    ['an error without words', new RangeError(), 'Error: RangeError', undefined],
    ['a system error', Object.assign(new Error('gone'), { code: 'ENOENT' }), 'Error: gone', undefined],
    [
      'a coded harness error',
      new HarnessError('stale', 'FS_STALE'),
      'Error: stale',
      { name: 'HarnessError', code: 'FS_STALE' },
    ],
    ['a string', 'text', 'Error: text', undefined],
    ['nothing', undefined, 'Error: undefined', undefined],
    [
      'a value that cannot be coerced',
      Object.create(null),
      'Error: the tool threw a value that cannot be described',
      undefined,
    ],
    [
      'an error with a hostile message',
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('hostile');
        },
      }),
      'Error: the tool threw a value that cannot be described',
      undefined,
    ],
  ])('T14 %s thrown by the body becomes a result', async (_what, thrown, text, error) => {
    const world = traced({
      execute: async () => {
        throw thrown;
      },
    });

    const result = await world.call();

    expect([textOf(result), result.isError, result.error]).toEqual([text, true, error]);
    expect(world.log.at(-2)).toBe('post');
  });

  it.each(['pre', 'guard', 'execute'])('T15 an exception in %s is final and skips post-execute', async (stage) => {
    const world = traced();
    const fail = () => {
      throw new HarnessError('plugin bug', 'BUG');
    };
    if (stage === 'pre') world.ctx.on('tools/pre-execute', fail);
    if (stage === 'guard') world.ctx.tools.guard(fail);
    if (stage === 'execute') world.ctx.on('tools/execute', fail);

    const result = await world.call();

    expect([textOf(result), result.error?.code]).toEqual(['Error: plugin bug', 'BUG']);
    expect(world.log).not.toContain('post');
    expect(world.log.at(-1)).toBe('result');
  });

  it('T15 so are decisions and results outside the vocabulary', async () => {
    const world = traced();
    const off = world.ctx.on('tools/pre-execute', () => ({ kind: 'maybe' }) as never);
    expect((await world.call()).isError).toBe(true);
    expect(world.log).toEqual(['pre', 'result']);

    await off();
    world.log.length = 0;
    world.ctx.on('tools/execute', () => undefined as never);
    expect((await world.call()).isError).toBe(true);
    expect(world.log).not.toContain('post');
  });

  it('T15 an exception in post-execute is an error result', async () => {
    const world = traced();
    world.ctx.on('tools/post-execute', () => Promise.reject(new Error('post bug')));

    expect(await world.call()).toEqual({ content: [{ type: 'text', text: 'Error: post bug' }], isError: true });
    expect(world.log.at(-1)).toBe('result');
  });

  it('T16 accept keeps result and meta, optionally with other content', async () => {
    const world = traced({ execute: async () => ({ content: [{ type: 'text', text: 'long' }], meta: { lines: 3 } }) });
    const plain = await world.call();
    world.ctx.on('tools/post-execute', () => ({ kind: 'accept', content: [{ type: 'text', text: 'short' }] }));
    const replaced = await world.call();

    expect(plain).toEqual({ content: [{ type: 'text', text: 'long' }], isError: false, meta: { lines: 3 } });
    expect(replaced).toEqual({ content: [{ type: 'text', text: 'short' }], isError: false, meta: { lines: 3 } });
  });

  it('T16 block is an error that holds nothing but the feedback', async () => {
    const world = traced({ execute: async () => ({ content: [], meta: { lines: 3 } }) });
    world.ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [{ type: 'text', text: 'again' }] }));

    expect(await world.call()).toEqual({ content: [{ type: 'text', text: 'again' }], isError: true });
  });

  describe('contexts', () => {
    function withContexts(body: 'succeeds' | 'throws' | 'is cancelled', decision?: PostToolDecision) {
      const caller = new AbortController();
      const world = traced({
        execute: async (_args, exec) => {
          exec.deferContext(context('body'));
          if (body === 'throws') throw new Error('broken');
          if (body === 'is cancelled') caller.abort();
          return [];
        },
      });
      world.ctx.on('tools/execute', async (_exec, next) => ({
        ...(await next()),
        additionalContexts: [context('wrapper')],
      }));
      world.ctx.on(
        'tools/post-execute',
        () => decision ?? { kind: 'accept', additionalContexts: [context('decision')] },
      );
      return world.call({ signal: caller.signal });
    }

    it.each(['succeeds', 'throws', 'is cancelled'] as const)(
      'T17 those of the body come first, then wrapper, then decision, when the body %s',
      async (body) => {
        const result = await withContexts(body);

        expect(contextsOf(result)).toEqual(['body', 'wrapper', 'decision']);
        expect(result.isError).toBe(body !== 'succeeds');
      },
    );

    it('T17 block keeps only its own', async () => {
      const own = { kind: 'block', feedback: [], additionalContexts: [context('own')] } as const;

      expect(
        contextsOf(await withContexts('succeeds', { ...own, additionalContexts: [context('own')] } as never)),
      ).toEqual(['own']);
      expect(contextsOf(await withContexts('succeeds', { kind: 'block', feedback: [] }))).toEqual([]);
    });

    it('T17 they survive a wrapper that fails after the body', async () => {
      const world = traced({ execute: async (_args, exec) => (exec.deferContext(context('body')), []) });
      world.ctx.on('tools/execute', async (_exec, next) => {
        await next();
        throw new Error('late');
      });

      expect(contextsOf(await world.call())).toEqual(['body']);
    });
  });

  it('T18 the result is a frozen copy of JSON, and so is the call', async () => {
    const content = [{ type: 'text' as const, text: 'done' }];
    const world = traced({ execute: async () => ({ content, meta: { deep: [1] } }) });

    const result = await world.call();
    content[0]!.text = 'changed later';

    expect(textOf(result)).toBe('done');
    expect(world.published[0]!.result).toBe(result);
    for (const part of [result, result.content, result.content[0], (result.meta as { deep: number[] }).deep]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(world.published[0]!.exec)).toBe(true);
  });

  it('T18 post-execute cannot change the result behind its decision', async () => {
    const world = traced();
    world.ctx.on('tools/post-execute', (_exec, result, next) => {
      expect(() => Object.assign(result.content[0]!, { text: 'x' })).toThrow(TypeError);
      return next();
    });

    expect(textOf(await world.call())).toBe('done');
  });

  it.each<[string, unknown]>([
    ['a function in meta', { content: [], meta: () => {} }],
    ['an undefined field', { content: [{ type: 'text', text: undefined }] }],
    ['no content', { meta: 1 }],
    ['nothing', undefined],
  ])('T18 a body that returns %s yields an error result', async (_what, returned) => {
    const result = await traced({ execute: async () => returned as never }).call();

    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Error: /);
  });

  it('T18 observers are synchronous and contained one by one', async () => {
    const world = traced();
    const warn = jest.fn();
    world.ctx.on('kernel/error', warn);
    world.ctx.on('tools/result', () => {
      throw new Error('observer');
    });
    world.ctx.on('tools/result', () => Promise.reject(new Error('late')) as never);
    world.ctx.on('tools/result', () => void world.log.push('last observer'));

    const result = await world.call();
    await sleep(0);

    expect(textOf(result)).toBe('done');
    expect(world.log.at(-1)).toBe('last observer');
    expect(warn.mock.calls).toEqual([
      [new Error('observer'), 'tools/result'],
      [new Error('late'), 'tools/result'],
    ]);
  });

  it('T19 a call passes each stage once and in order', async () => {
    const world = traced();

    await world.call();

    expect(world.log).toEqual(['pre', 'guard', 'execute', 'body', 'post', 'result']);
  });

  it('T19 a stage cannot be repeated or skipped', async () => {
    const world = traced();
    const { tools } = world.ctx;
    const ready = await tools.prepare(world.input());
    if (ready.kind !== 'ready') throw new Error(`not ready but ${ready.kind}`);
    const settled = await tools.dispatch(ready);
    if (settled.kind !== 'settled') throw new Error(`not settled but ${settled.kind}`);
    const over = expect.objectContaining({ code: 'STAGE_ORDER' });

    await expect(tools.dispatch(ready)).rejects.toEqual(over);
    await expect(tools.finalize({ ...settled })).rejects.toEqual(over);
    expect((await tools.finalize(settled)).isError).toBe(false);
    await expect(tools.finalize(settled)).rejects.toEqual(over);
    expect(world.log.filter((stage) => stage === 'body' || stage === 'post')).toEqual(['body', 'post']);
  });

  it('T19 the staged view tells which way a call goes on', async () => {
    const world = traced();
    const kindOf = async (input: Partial<ToolExecutionInput>) =>
      (await world.ctx.tools.prepare(world.input(input))).kind;
    world.ctx.tools.guard(({ name }) => (name === 'guarded' ? 'no' : undefined));

    expect(await kindOf({})).toBe('ready');
    expect(await kindOf({ name: 'guarded' })).toBe('settled');
    expect(await kindOf({ signal: AbortSignal.abort() })).toBe('final');
    expect(world.published).toEqual([]);
  });

  it("T19 events of a call are heard in its agent's scope only", async () => {
    const world = traced();
    const heard: string[] = [];
    world.scope.ctx.on('tools/pre-execute', (exec, next) => (heard.push(exec.callId), next()));
    world.scope.ctx.on('tools/result', (exec) => void heard.push(exec.callId));

    await world.call({ callId: CallId('mine') });
    await world.call({ callId: CallId('theirs'), agent: world.other });

    expect(heard).toEqual(['mine', 'mine']);
  });
});
