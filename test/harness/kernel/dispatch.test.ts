import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { Dispatch } from '../../../src/harness/kernel/event-bus.ts';
import { scopeTarget, createScope } from '../../../src/harness/scope/scope.ts';
import './test-events.ts';

describe('scope', () => {
  it('KR1 prepend puts a listener outermost', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.on('test/wrap', (text, next) => `a(${next()})`);
    ctx.on('test/wrap', (text, next) => `b(${next()})`, { prepend: true });
    ctx.on('test/note', () => void log.push('second'));
    ctx.on('test/note', () => void log.push('first'), { prepend: true });

    ctx.emit('test/note', '');

    expect(log).toEqual(['first', 'second']);
    expect(ctx.waterfall('test/wrap', '', () => 'x')).toBe('b(a(x))');
  });

  it('KR1 global bypasses scope filtering', () => {
    const log: string[] = [];
    const ctx = new Context();
    const scope = createScope(ctx, {});
    scope.ctx.on('test/note', () => void log.push('scoped'));
    scope.ctx.on('test/note', () => void log.push('global'), { global: true });

    ctx.emit(scopeTarget({}, {}), 'test/note', '');

    expect(log).toEqual(['global']);
  });
});

describe('kernel', () => {
  it('emit runs in registration order; a throw reaches the dispatcher and skips later listeners', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.on('test/note', (text) => void log.push(text));
    ctx.on('test/note', () => {
      throw new Error('no');
    });
    ctx.on('test/note', () => void log.push('skipped'));

    expect(() => ctx.emit('test/note', 'heard')).toThrow('no');
    expect(log).toEqual(['heard']);
  });

  it('notify contains every listener and reports its throw or rejection', async () => {
    const log: unknown[] = [];
    const ctx = new Context();
    ctx.on('kernel/error', (error, origin) => void log.push([origin, (error as Error).message]));
    ctx.on('test/task', () => {
      throw new Error('thrown');
    });
    ctx.on('test/task', () => Promise.reject(new Error('rejected')));
    ctx.on('test/task', (text) => void log.push(text));

    ctx.notify('test/task', 'heard');
    await sleep(0);

    expect(log).toEqual([['test/task', 'thrown'], 'heard', ['test/task', 'rejected']]);
  });

  it('an error of notify that nobody listens for becomes a process warning', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const ctx = new Context();
    const error = new Error('unseen');
    ctx.on('test/task', () => {
      throw error;
    });

    ctx.notify('test/task', '');

    expect(warn.mock.calls).toEqual([[error]]);
    warn.mockRestore();
  });

  it('parallel starts all, waits for all, then throws one aggregate error', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.on('test/task', () => {
      throw new Error('at once');
    });
    ctx.on('test/task', async () => {
      await sleep(5);
      log.push('slow');
    });
    ctx.on('test/task', () => Promise.reject(new Error('later')));

    await expect(ctx.parallel('test/task', '')).rejects.toMatchObject({
      errors: [new Error('at once'), new Error('later')],
    });
    expect(log).toEqual(['slow']);
  });

  it.each([
    [undefined, 'next'],
    [null, 'next'],
    [false, 'next'],
    [0, 0],
    ['', ''],
  ])('serial goes on after %p only if it is undefined, null or false', async (first, result) => {
    const ctx = new Context();
    ctx.on('test/ask', async () => first);
    ctx.on('test/ask', () => 'next');

    expect(await ctx.serial('test/ask', '')).toBe(result);
  });

  it('waterfall wraps around: arguments stay, results flow back, leaving out next short-circuits', () => {
    const seen: string[] = [];
    const ctx = new Context();
    ctx.on('test/wrap', (text, next) => `<${next()}>`);
    const off = ctx.on('test/wrap', (text) => {
      seen.push(text);
      return 'short';
    });
    ctx.on('test/wrap', (text, next) => {
      seen.push(text);
      return next().toUpperCase();
    });

    expect(ctx.waterfall('test/wrap', 'a', () => 'x')).toBe('<short>');
    void off();
    expect(ctx.waterfall('test/wrap', 'b', () => 'x')).toBe('<X>');
    expect(seen).toEqual(['a', 'b']);
  });

  it('next may be called once', () => {
    const ctx = new Context();
    ctx.on('test/wrap', (text, next) => next() + next());

    expect(() => ctx.waterfall('test/wrap', '', () => 'x')).toThrow(
      expect.objectContaining({ code: 'NEXT_CALLED_TWICE' }),
    );
  });

  it('the listener list is fixed when the dispatch starts', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.on('test/note', () => {
      log.push('first');
      void off();
      ctx.on('test/note', () => void log.push('added'));
    });
    const off = ctx.on('test/note', () => void log.push('removed'));

    ctx.emit('test/note', '');
    expect(log).toEqual(['first', 'removed']);

    ctx.emit('test/note', '');
    expect(log.slice(2)).toEqual(['first', 'added']);
  });

  it('kernel/dispatch hears every dispatch before its listeners, and can stop it', () => {
    const log: unknown[] = [];
    const ctx = new Context();
    ctx.on('kernel/dispatch', ({ mode, name, args }: Dispatch) => {
      log.push([mode, name, args]);
      if (args[0] === 'forbidden') throw new Error('no');
    });
    ctx.on('test/note', (text) => void log.push(text));

    ctx.emit('test/note', 'fine');

    expect(() => ctx.emit('test/note', 'forbidden')).toThrow('no');
    expect(ctx.waterfall('test/wrap', 'x', () => 'y')).toBe('y');
    expect(log).toEqual([
      ['emit', 'test/note', ['fine']],
      'fine',
      ['emit', 'test/note', ['forbidden']],
      ['waterfall', 'test/wrap', ['x']],
    ]);
  });

  it('checks names, arguments and results of events at compile time', () => {
    const ctx = new Context();
    const typeChecked = () => {
      // @ts-expect-error unknown event
      ctx.emit('test/unknown');
      // @ts-expect-error wrong argument
      ctx.emit('test/note', 1);
      // @ts-expect-error listener returns a number
      ctx.on('test/wrap', () => 1);
      // @ts-expect-error innermost is missing
      ctx.waterfall('test/wrap', 'x');
      // @ts-expect-error not a clock
      ctx.provide('clock', 1);
      // @ts-expect-error config is required
      ctx.plugin((_child: Context, _config: string) => {});
      const wrapped: string = ctx.waterfall({}, 'test/wrap', 'x', () => 'y');
      return wrapped;
    };

    expect(typeChecked).toBeInstanceOf(Function);
  });
});
