import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { Plugin } from '../../../src/harness/kernel/context.ts';
import { findWaiting } from '../../../src/harness/kernel/find-waiting.ts';
import { VIEW_FOR } from '../../../src/harness/kernel/service-registry.ts';
import './test-events.ts';

const clock = { now: () => 7 };

function reader(log: string[]): Plugin<void> {
  return {
    name: 'reader',
    inject: ['clock'],
    apply(ctx) {
      log.push(`applied at ${ctx.clock.now()}`);
      ctx.effect(() => () => void log.push(`undone at ${ctx.clock.now()}`));
    },
  };
}

describe('kernel', () => {
  it('takes plugin objects with a config, plain functions and arrow functions', () => {
    const seen: unknown[] = [];
    const ctx = new Context();
    function plain(this: unknown, child: Context, config: string) {
      seen.push(child instanceof Context, config, new.target);
    }

    ctx.plugin(plain, 'a');
    ctx.plugin((_child: Context, config: number) => void seen.push(config), 1);
    ctx.plugin(
      { name: 'object', apply: (_child: Context, config: { on: boolean }) => void seen.push(config) },
      { on: true },
    );

    expect(seen).toEqual([true, 'a', undefined, 1, { on: true }]);
  });

  it('a plugin waits for the services of its inject, and who waits for what can be seen', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.plugin((parent) => void parent.plugin(reader(log)));

    expect(findWaiting(ctx)).toEqual([{ name: 'reader', missing: ['clock'] }]);
    expect(log).toEqual([]);

    ctx.provide('clock', clock);

    expect(findWaiting(ctx)).toEqual([]);
    expect(log).toEqual(['applied at 7']);
  });

  it('a plugin is undone while a leaving service still answers, and applied again when it is back', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const fiber = ctx.plugin(reader(log));
    const leave = ctx.provide('clock', clock);
    await fiber;

    await leave();
    expect([fiber.state, fiber.missing, ctx.get('clock')]).toEqual(['pending', ['clock'], undefined]);

    ctx.provide('clock', { now: () => 8 });
    expect(log).toEqual(['applied at 7', 'undone at 7', 'applied at 8']);
    expect(fiber.state).toBe('active');
  });

  it('awaiting a mounted plugin waits until its services are there and its apply is through', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const fiber = ctx.plugin({
      name: 'slow',
      inject: ['clock'],
      async apply() {
        await sleep(5);
        log.push('applied');
      },
    });
    const waiting = Promise.resolve(fiber).then(() => log.push('awaited'));
    log.push(fiber.state);
    ctx.provide('clock', clock);
    log.push(fiber.state);

    await waiting;

    expect(log).toEqual(['pending', 'loading', 'applied', 'awaited']);
  });

  it('a plugin disposed before it could be applied rejects whoever awaits it', async () => {
    const ctx = new Context();
    const fiber = ctx.plugin(reader([]));
    const waiting = expect(fiber).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });

    await fiber.dispose();

    await waiting;
    ctx.provide('clock', clock);
    expect(fiber.state).toBe('disposed');
  });

  it('an apply that goes on after its plugin was unloaded cannot register, and is waited for', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const fiber = ctx.plugin(async (child) => {
      child.effect(() => () => void log.push('undone'));
      await sleep(5);
      log.push('went on');
      child.on('test/note', () => log.push('heard'));
    });

    await fiber.dispose();

    ctx.emit('test/note', 'x');
    expect(log).toEqual(['undone', 'went on']);
  });

  it('services keep their identity and private fields on every context', () => {
    class Counter {
      #count = 0;
      next(): number {
        return (this.#count += 1);
      }
    }
    const counter = new Counter();
    const ctx = new Context();
    ctx.provide('shelf', counter);
    let inner = ctx;
    ctx.plugin((child) => void (inner = child.extend({ mark: 1 })));

    expect(inner.shelf).toBe(counter);
    expect(inner.get('shelf')).toBe(counter);
    expect((inner.shelf as Counter).next()).toBe(1);
  });

  it('a service may show each context its own view, always the same one', () => {
    const shelf = { [VIEW_FOR]: (ctx: Context) => ({ of: ctx }) };
    const ctx = new Context();
    ctx.provide('shelf', shelf);
    const inner = ctx.extend({});

    expect(inner.shelf).toBe(inner.shelf);
    expect(inner.shelf).toMatchObject({ of: inner });
    expect(ctx.shelf).not.toBe(inner.shelf);
  });

  it('a key can be provided once, and names of the context itself never', () => {
    const ctx = new Context();
    ctx.provide('shelf', {});
    const taken = expect.objectContaining({ code: 'SERVICE_EXISTS' });

    expect(() => ctx.extend({}).provide('shelf', {})).toThrow(taken);
    expect(() => ctx.provide('emit', (() => {}) as never)).toThrow(taken);
    expect(ctx.get('emit')).toBeUndefined();
  });

  it('a service leaves with the plugin that provided it, after those who use it and before what it stands on', async () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.plugin({
      name: 'user',
      inject: ['clock'],
      apply: (child) => void child.effect(() => () => sleep(5).then(() => void log.push('undone'))),
    });
    const provider = ctx.plugin((child) => {
      child.effect(() => () => void log.push('closed'));
      child.provide('clock', clock);
    });

    await provider.dispose();

    expect(log).toEqual(['undone', 'closed']);
    expect(ctx.get('clock')).toBeUndefined();
  });

  it('a failure while users of a leaving service unload reaches whoever removed it', async () => {
    const ctx = new Context();
    const leave = ctx.provide('clock', clock);
    ctx.plugin({
      name: 'stubborn',
      inject: ['clock'],
      apply: (child) => void child.effect(() => () => Promise.reject(new Error('stuck'))),
    });

    await expect(leave()).rejects.toThrow('stuck');

    expect(ctx.get('clock')).toBeUndefined();
  });

  it('what extend adds is seen on derived contexts only, symbols included', () => {
    const mark = Symbol('mark');
    const ctx = new Context();
    const marked = ctx.extend({ [mark]: 1, label: 'x' });
    let below: object = ctx;
    marked.plugin((child) => void (below = child));

    expect(Reflect.get(below, mark)).toBe(1);
    expect(marked.label).toBe('x');
    expect(Reflect.get(ctx, mark)).toBeUndefined();
    expect(marked.fiber).toBe(ctx.fiber);
  });
});
