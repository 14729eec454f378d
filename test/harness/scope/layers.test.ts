import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { AnonymousEntries } from '../../../src/harness/scope/anonymous-entries.ts';
import { duplicateNameError } from '../../../src/harness/scope/duplicate-name-error.ts';
import { NamedEntries } from '../../../src/harness/scope/named-entries.ts';
import { createScope } from '../../../src/harness/scope/scope.ts';
import type { ScopeKey } from '../../../src/harness/scope/scope.ts';
import { ScopedLayers } from '../../../src/harness/scope/scoped-layers.ts';

class Layer {
  readonly named: NamedEntries<string>;
  readonly listed = new AnonymousEntries<string>();

  constructor(scope: ScopeKey | undefined) {
    this.named = new NamedEntries(duplicateNameError('entry', scope));
  }

  isEmpty(): boolean {
    return this.named.isEmpty() && this.listed.isEmpty();
  }
}

const key = {};

function setUp() {
  const log: string[] = [];
  const ctx = new Context();
  const hooks = { onChange: () => {} };
  const layers: ScopedLayers<Layer> = new ScopedLayers(
    (scope) => new Layer(scope),
    () => {
      log.push(`change: ${[...layers.merge(key, (layer) => layer.named)].join(' ')}`);
      hooks.onChange();
    },
  );
  const put = (at: Context, name: string, value: string) =>
    layers.effect(at, (layer) => layer.named.insert(name, value), { label: name });
  return { log, ctx, layers, put, hooks, scope: createScope(ctx, key) };
}

describe('scope', () => {
  it('S10 installs first and notifies then; on disposal undoes, reclaims the layer and notifies last', async () => {
    const { log, layers, put, scope, hooks } = setUp();
    hooks.onChange = () => log.push(layers.peek(key) ? 'layer' : 'no layer');

    put(scope.ctx, 'x', '1');
    await scope.dispose();

    expect(log).toEqual(['change: x,1', 'layer', 'change: ', 'no layer']);
  });

  it('S10 visibility and lifetime come from the same context', async () => {
    const { layers, put, ctx, scope } = setUp();
    put(ctx, 'x', 'global');
    put(scope.ctx, 'x', 'scoped');

    expect(layers.merge(key, (layer) => layer.named).get('x')).toBe('scoped');
    expect(layers.merge({}, (layer) => layer.named).get('x')).toBe('global');
    expect(layers.merge(undefined, (layer) => layer.named).get('x')).toBe('global');

    await scope.dispose();
    expect(layers.merge(key, (layer) => layer.named).get('x')).toBe('global');
  });

  it('S10 a registration may stay unannounced', () => {
    const { log, ctx, layers } = setUp();
    const dispose = layers.effect(ctx, (layer) => layer.listed.append('x'), { label: 'x', notify: false });
    void dispose();

    expect(log).toEqual([]);
  });

  it('S11 a throwing onChange takes the insertion back, and the next try succeeds once', () => {
    const { layers, put, hooks, scope } = setUp();
    hooks.onChange = () => {
      throw new Error('no');
    };
    expect(() => put(scope.ctx, 'x', '1')).toThrow('no');
    expect(layers.peek(key)).toBeUndefined();

    hooks.onChange = () => {};
    put(scope.ctx, 'x', '2');

    expect([...layers.merge(key, (layer) => layer.named)]).toEqual([['x', '2']]);
  });

  it('S12 a layer exists from its first registration until all its tables are empty', async () => {
    const { layers, put, scope } = setUp();
    expect(layers.peek(key)).toBeUndefined();
    expect(layers.peek(undefined)).toBeUndefined();
    layers.merge(key, (layer) => layer.named);
    expect(layers.peek(key)).toBeUndefined();

    const removeNamed = put(scope.ctx, 'x', '1');
    const removeListed = layers.effect(scope.ctx, (layer) => layer.listed.append('y'), { label: 'y' });
    const layer = layers.peek(key);
    await removeNamed();
    expect(layers.peek(key)).toBe(layer);

    await removeListed();
    expect(layers.peek(key)).toBeUndefined();
  });

  it('S12 a throwing action drops a layer made for it and keeps one that was there', () => {
    const { layers, put, scope } = setUp();
    const failing = () =>
      layers.effect(
        scope.ctx,
        () => {
          throw new Error('no');
        },
        { label: 'failing' },
      );

    expect(failing).toThrow('no');
    expect(layers.peek(key)).toBeUndefined();

    put(scope.ctx, 'x', '1');
    expect(failing).toThrow('no');
    expect(layers.peek(key)?.named.get('x')).toBe('1');
  });

  it('S14 a shadow takes the place of the global entry; names of the scope alone follow', () => {
    const { layers, put, ctx, scope } = setUp();
    put(scope.ctx, 'own', 'scoped');
    put(scope.ctx, 'b', 'scoped');
    for (const name of ['a', 'b', 'c']) put(ctx, name, 'global');

    expect([...layers.merge(key, (layer) => layer.named)]).toEqual([
      ['a', 'global'],
      ['b', 'scoped'],
      ['c', 'global'],
      ['own', 'scoped'],
    ]);
  });

  it('S16 names are unique in one layer only', () => {
    const { put, ctx, scope } = setUp();
    put(ctx, 'x', '1');
    put(scope.ctx, 'x', '2');

    expect(() => put(ctx, 'x', '3')).toThrow('through `agent.ctx`');
    expect(() => put(scope.ctx, 'x', '4')).toThrow('already registered');
  });
});
