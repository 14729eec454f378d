import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { Disposer } from '../../../src/harness/kernel/context.ts';
import './test-events.ts';

/** A disposer that notes its name, once when it starts and once when it is through. */
function slow(name: string, log: string[], delayMs = 5): Disposer {
  return async () => {
    log.push(`${name}…`);
    await sleep(delayMs);
    log.push(name);
  };
}

describe('scope', () => {
  it('KR2 a generator effect is undone in reverse yield order, each disposer awaited before the next', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispose = ctx.effect(function* () {
      yield slow('first', log);
      yield slow('second', log);
      yield () => void log.push('third');
    });

    await dispose();

    expect(log).toEqual(['third', 'second…', 'second', 'first…', 'first']);
  });

  it('KR2 sibling effects of one fiber unload concurrently, the latest started first', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(() => slow('early', log, 20));
    ctx.effect(() => slow('late', log, 40));

    await ctx.fiber.dispose();

    expect(log).toEqual(['late…', 'early…', 'early', 'late']);
  });

  it('KR2 a plugin is unloaded only after everything that was registered later is gone', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(() => slow('before', log));
    ctx.plugin((child) => void child.effect(() => slow('plugin', log)));
    ctx.effect(() => slow('after', log));
    ctx.effect(() => slow('with it', log));

    await ctx.fiber.dispose();

    expect(log).toEqual(['with it…', 'after…', 'with it', 'after', 'plugin…', 'plugin', 'before…', 'before']);
  });

  it('KR2 an async generator is collected while loading, and the plugin is applied after it', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const fiber = ctx.plugin((child) => {
      child.effect(async function* () {
        yield () => void log.push('undo 1');
        await sleep(5);
        log.push('installed');
        yield () => void log.push('undo 2');
      });
    });

    await fiber;
    expect(log).toEqual(['installed']);

    await fiber.dispose();
    expect(log).toEqual(['installed', 'undo 2', 'undo 1']);
  });

  it('KR2 an async generator disposed on its way is waited for and leaves nothing', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispose = ctx.effect(async function* () {
      yield () => void log.push('undo 1');
      await sleep(5);
      yield () => void log.push('undo 2');
      log.push('never reached');
    });
    await sleep(1);

    await dispose();

    expect(log).toEqual(['undo 2', 'undo 1']);
  });

  it('KR2 a generator disposed on its way goes no further, and what it yielded is undone', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(function* () {
      yield () => void log.push('undo 1');
      void ctx.fiber.dispose();
      yield () => void log.push('undo 2');
      log.push('never reached');
    });

    expect(log).toEqual(['undo 1', 'undo 2']);
  });

  it('KR3 a disposer runs once, and a second caller awaits the same completion', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispose = ctx.effect(() => slow('undone', log));

    const first = dispose();
    await dispose();

    expect(log).toEqual(['undone…', 'undone']);
    await first;
  });

  it('KR3 a yielded disposer is recognised by identity and moves into the enclosing effect', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(function* () {
      yield ctx.effect(() => () => void log.push('inner'));
      yield slow('outer', log);
    });

    await ctx.fiber.dispose();

    expect(log).toEqual(['outer…', 'outer', 'inner']);
  });

  it('KR3 a wrapped disposer is not recognised, so its order is lost', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(function* () {
      const inner = ctx.effect(() => () => void log.push('inner'));
      yield () => inner();
      yield slow('outer', log);
    });

    await ctx.fiber.dispose();

    expect(log).toEqual(['inner', 'outer…', 'outer']);
  });

  it('KR4 registering through a context that is no longer active throws INACTIVE_EFFECT', async () => {
    const ctx = new Context();
    let inner = ctx;
    const fiber = ctx.plugin((child) => void (inner = child));
    await fiber.dispose();

    const inactive = expect.objectContaining({ code: 'INACTIVE_EFFECT' });
    expect(() => inner.effect(() => {})).toThrow(inactive);
    expect(() => inner.on('test/note', () => {})).toThrow(inactive);
    expect(() => inner.plugin(() => {})).toThrow(inactive);
    expect(() => inner.provide('shelf', {})).toThrow(inactive);
    expect(ctx.get('shelf')).toBeUndefined();
  });

  it('KR4 a plugin whose service left is inactive, too', async () => {
    const ctx = new Context();
    let inner = ctx;
    const leave = ctx.provide('shelf', {});
    ctx.plugin({ name: 'reader', inject: ['shelf'], apply: (child) => void (inner = child) });

    await leave();

    expect(() => inner.on('test/note', () => {})).toThrow(expect.objectContaining({ code: 'INACTIVE_EFFECT' }));
  });

  it('KR5 a throw while installing undoes what was collected, and nothing else is left', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const install = () =>
      ctx.effect(function* () {
        yield () => void log.push('undo 1');
        yield ctx.on('test/note', () => log.push('heard'));
        throw new Error('no');
      });

    expect(install).toThrow('no');

    expect(log).toEqual(['undo 1']);
    ctx.emit('test/note', 'x');
    await ctx.fiber.dispose();
    expect(log).toEqual(['undo 1']);
  });

  it('KR5 a failing undo of a failed install shows beside the first error', () => {
    const ctx = new Context();
    const install = () =>
      ctx.effect(function* () {
        yield () => {
          throw new Error('undo');
        };
        throw new Error('install');
      });

    expect(install).toThrow(expect.objectContaining({ errors: [new Error('install'), new Error('undo')] }));
  });

  it('KR5 a failing apply undoes everything the plugin registered', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const fiber = ctx.plugin((child) => {
      child.on('test/note', () => log.push('heard'));
      child.effect(() => slow('undone', log));
      throw new Error('no');
    });

    await expect(fiber).rejects.toThrow('no');

    ctx.emit('test/note', 'x');
    expect([fiber.state, ...log]).toEqual(['failed', 'undone…', 'undone']);
  });
});

describe('kernel', () => {
  it('one failing disposer stops no other, and all failures surface in one AggregateError', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.effect(() => () => void log.push('first'));
    ctx.effect(() => () => Promise.reject(new Error('rejected')));
    ctx.effect(function* () {
      yield () => void log.push('inner');
      yield () => {
        throw new Error('thrown');
      };
    });

    const disposed = ctx.fiber.dispose();

    await expect(disposed).rejects.toMatchObject({ errors: [new Error('thrown'), new Error('rejected')] });
    expect(log).toEqual(['inner', 'first']);
  });

  it('undoes synchronously what can be undone synchronously', () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispose = ctx.effect(() => () => void log.push('undone'));

    expect(dispose()).toBeUndefined();

    expect(log).toEqual(['undone']);
  });

  it('a disposal waits for one that is already under way', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispose = ctx.effect(() => slow('undone', log));
    const early = dispose();

    await ctx.fiber.dispose();

    expect(log).toEqual(['undone…', 'undone']);
    await early;
  });
});
