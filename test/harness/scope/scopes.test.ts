import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../src/harness/agent/types.ts';
import '../../../src/harness/agent/events.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { LISTENER_FILTER } from '../../../src/harness/kernel/event-bus.ts';
import { scopeInvariants } from '../../../src/harness/scope/scope-invariants.ts';
import { carrierKeyOf, createScope, isScopeCarrier, scopeOf, scopeTarget } from '../../../src/harness/scope/scope.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import '../kernel/test-events.ts';

const a = { name: 'a' };
const b = { name: 'b' };

/** Who hears a note sent with this carrier. */
function heardBy(ctx: Context, log: string[], carrier: object): string[] {
  log.length = 0;
  ctx.emit(carrier, 'test/note', '');
  return [...log];
}

describe('scope', () => {
  it('S1 a derived context carries the tag, and with nesting the nearest one wins', () => {
    const ctx = new Context();
    const scope = createScope(ctx, a);
    const nested = createScope(scope.ctx, b);
    let below = ctx;
    scope.ctx.plugin((child) => void (below = child));

    expect(scopeOf(ctx)).toBeUndefined();
    expect(scopeOf(scope.ctx.extend({}))).toBe(a);
    expect(scopeOf(below)).toBe(a);
    expect(scopeOf(nested.ctx)).toBe(b);
  });

  it('S2 a scope is usable in the same tick, even while its owner is still loading', () => {
    const log: string[] = [];
    const ctx = new Context();
    const owner = ctx.plugin(async (child) => {
      createScope(child, a).ctx.on('test/note', (text) => void log.push(text));
      await sleep(1);
    });

    ctx.emit(scopeTarget({}, a), 'test/note', 'heard');

    expect(owner.state).toBe('loading');
    expect(log).toEqual(['heard']);
  });

  it.each(['rawDispose', 'dispose'] as const)('S3 whoever comes first (%s), all await one teardown', async (first) => {
    const log: string[] = [];
    const scope = createScope(new Context(), a);
    scope.ctx.effect(() => async () => {
      await sleep(5);
      log.push('gone');
    });

    const claimed = scope[first]();
    const others = [scope.dispose(), scope.rawDispose(), scope.dispose()].map(async (teardown) => {
      await teardown;
      log.push('awaited');
    });
    await Promise.all(others);
    await claimed;

    expect(log).toEqual(['gone', 'awaited', 'awaited', 'awaited']);
  });

  it('S4 S5 S6 a carrier reaches untagged, matching and global listeners, within the filter of its base', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.on('test/note', () => void log.push('untagged'));
    createScope(ctx, a).ctx.on('test/note', () => void log.push('a'));
    createScope(ctx, b).ctx.on('test/note', () => void log.push('b'));
    createScope(ctx, b).ctx.on('test/note', () => void log.push('global b'), { global: true });
    const mute = { [LISTENER_FILTER]: (listening: Context) => scopeOf(listening) !== undefined, secret: 1 };

    expect(heardBy(ctx, log, scopeTarget({}, a))).toEqual(['untagged', 'a', 'global b']);
    expect(heardBy(ctx, log, scopeTarget({}, undefined))).toEqual(['untagged', 'global b']);
    expect(heardBy(ctx, log, scopeTarget(mute, a))).toEqual(['a', 'global b']);

    const carrier = scopeTarget(mute, a);
    expect(Reflect.ownKeys(carrier)).toEqual([LISTENER_FILTER]);
    expect(Object.getPrototypeOf(carrier)).toBeNull();
    expect([isScopeCarrier(carrier), isScopeCarrier(mute), isScopeCarrier(undefined)]).toEqual([true, false, false]);
    expect([carrierKeyOf(carrier), carrierKeyOf(mute)]).toEqual([a, undefined]);
  });

  it('S7 S9 registry changes are heard by every scope, whoever made them', () => {
    const log: string[] = [];
    const ctx = new Context();
    ctx.plugin(systemPrompt);
    createScope(ctx, a).ctx.on('system-prompt/change', () => void log.push('a'));
    const inB = createScope(ctx, b);

    inB.ctx.systemPrompt.section({ name: 'x', order: 1, text: '' });

    expect(log).toEqual(['a']);
    expect(scopeOf(inB.ctx)).toBe(b);
  });

  it('S7 what is about one agent reaches that agent only', () => {
    const log: string[] = [];
    const ctx = new Context();
    createScope(ctx, a).ctx.on('agent/status', (_agent, status) => void log.push(`a ${status}`));
    createScope(ctx, b).ctx.on('agent/status', (_agent, status) => void log.push(`b ${status}`));

    ctx.emit(scopeTarget(a, a), 'agent/status', a as unknown as Agent, 'running');

    expect(log).toEqual(['a running']);
  });

  it.each([
    ['without a carrier', undefined],
    ['with the carrier of another subject', scopeTarget({}, b)],
    ['with something that is no carrier', {}],
  ])('S8 an agent event dispatched %s fails', (_how, carrier) => {
    const ctx = new Context();
    ctx.plugin(scopeInvariants);
    const agent = a as unknown as Agent;
    const emit = (with_: object | undefined) =>
      with_ ? ctx.emit(with_, 'agent/disposed', agent) : ctx.emit('agent/disposed', agent);

    expect(() => emit(carrier)).toThrow(expect.objectContaining({ code: 'SCOPE_INVARIANT' }));
    expect(() => emit(scopeTarget({}, a))).not.toThrow();
    expect(() => ctx.emit('test/note', 'unfiltered')).not.toThrow();
  });

  it.each([
    ['tools/pre-execute', [{ agent: a }], a],
    ['tools/execute', [{ agent: a }], a],
    ['tools/post-execute', [{ agent: a }], a],
    ['tools/result', [{ agent: a }], a],
    ['tools/result', [{}], undefined],
    ['approval/request', [{ agent: a }], a],
    ['system-prompt/assemble', [{}, { scope: a }], a],
    ['goal/changed', [a], a],
    ['agent/queued', [a], a],
    ['session/event', [{}], b],
    ['subagent/start', [{}], b],
  ])('S8 %s is checked against its own arguments', (name, args, key) => {
    const ctx = new Context();
    ctx.plugin(scopeInvariants);
    const emit = ctx.emit.bind(ctx) as (...input: unknown[]) => void;

    expect(() => emit(scopeTarget({}, key), name, ...args)).not.toThrow();
    expect(() => emit(name, ...args)).toThrow(expect.objectContaining({ code: 'SCOPE_INVARIANT' }));
  });

  it('S17 what setup registers is there before the first prompt; a rejected setup leaves nothing', async () => {
    const ctx = new Context();
    ctx.plugin(systemPrompt);
    const setUp = async (key: object, fails: boolean) => {
      const scope = createScope(ctx, key);
      try {
        scope.ctx.systemPrompt.variable('repo', () => 'acme/x');
        scope.ctx.systemPrompt.section({ name: 'x', order: 1, text: '{{repo}}' });
        if (fails) throw new Error('setup failed');
      } catch (error) {
        await scope.dispose();
        throw error;
      }
    };

    await setUp(a, false);
    await expect(setUp(b, true)).rejects.toThrow('setup failed');

    expect((await ctx.systemPrompt.assemble({ scope: a })).sections.map(({ name }) => name)).toContain('x');
    expect((await ctx.systemPrompt.assemble({ scope: b })).sections.map(({ name }) => name)).not.toContain('x');
  });

  it('S18 in a composite effect scoped listeners outlive the drain and the detach', async () => {
    const log: string[] = [];
    const ctx = new Context();
    const dispatch = (text: string) => ctx.emit(scopeTarget({}, a), 'test/note', text);
    ctx.effect(function* () {
      const scope = createScope(ctx, a);
      scope.ctx.on('test/note', (text) => void log.push(text));
      yield scope.rawDispose;
      yield () => dispatch('detached');
      yield async () => {
        await sleep(5);
        dispatch('drained');
      };
    });

    await ctx.fiber.dispose();

    dispatch('too late');
    expect(log).toEqual(['drained', 'detached']);
  });

  it('S19 a scoped context resolves services as the plugin that minted it; others come by inject below it', async () => {
    const mine = { now: () => 1 };
    const log: unknown[] = [];
    const ctx = new Context();
    let scope = createScope(ctx, a);
    ctx.extend({ clock: mine }).plugin((minter) => void (scope = createScope(minter, a)));
    const holder = ctx.extend({ clock: { now: () => 2 } });
    const held = { ...holder, scoped: scope.ctx };

    scope.ctx.plugin({ name: 'consumer', inject: ['shelf'], apply: (child) => void log.push(child.shelf) });
    const shelf = {};
    ctx.provide('shelf', shelf);

    expect(held.scoped.clock).toBe(mine);
    expect(log).toEqual([shelf]);
  });

  it('S20 registering through a disposed scope throws', async () => {
    const ctx = new Context();
    ctx.plugin(systemPrompt);
    ctx.plugin(tools);
    const scope = createScope(ctx, a);
    await scope.dispose();

    const inactive = expect.objectContaining({ code: 'INACTIVE_EFFECT' });
    expect(() => scope.ctx.on('test/note', () => {})).toThrow(inactive);
    expect(() => scope.ctx.tools.guard(() => undefined)).toThrow(inactive);
    expect(() => scope.ctx.systemPrompt.variable('x', () => '')).toThrow(inactive);
  });
});
