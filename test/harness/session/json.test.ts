import { runInNewContext } from 'node:vm';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  freezeParsedJson,
  canonicalJson,
  deepFreeze,
  isJsonValue,
  jsonEquals,
  snapshotJsonValue,
} from '../../../src/harness/session/json.ts';

describe('session', () => {
  const cycle: { inner: object[] } = { inner: [] };
  cycle.inner.push(cycle);

  it.each([
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['undefined', undefined],
    ['undefined inside', { a: [undefined] }],
    ['NaN', NaN],
    ['Infinity', [Infinity]],
    ['-0', { a: -0 }],
    ['a sparse array', [1, , 3]], // eslint-disable-line no-sparse-arrays
    ['an array with a named property', Object.assign([1], { extra: 2 })],
    ['a cycle', cycle],
    ['a Map', new Map()],
    ['a Set', { a: new Set() }],
    ['a Date', new Date(0)],
    ['a class instance', new (class Thing {})()],
    ['an array subclass', new (class List extends Array {})()],
    ['a symbol key', { [Symbol('k')]: 1 }],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1 })],
  ])('S2 rejects %s', (_name, value) => {
    expect(() => snapshotJsonValue(value)).toThrow(/not lossless JSON/);
    expect(isJsonValue(value)).toBe(false);
  });

  it('S2 keeps null-prototype objects, values of another realm, and an own __proto__ key as data', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as object;

    expect(snapshotJsonValue(bare)).toEqual({ a: 1 });
    expect(snapshotJsonValue(runInNewContext('({ a: [1, { b: null }] })'))).toEqual({ a: [1, { b: null }] });
    const kept = snapshotJsonValue(hostile);
    expect(Object.hasOwn(kept, '__proto__')).toBe(true);
    expect((kept as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('S2 reads every property once, so what is checked is what is kept', () => {
    let reads = 0;
    const shifty = {
      get value() {
        reads += 1;
        return reads === 1 ? 'checked' : 10n;
      },
    };

    const kept = snapshotJsonValue(shifty);

    expect(kept).toEqual({ value: 'checked' });
    expect(reads).toBe(1);
  });

  it('S2 copies values nested 50,000 levels deep without overflowing the stack', () => {
    let deep: object = {};
    for (let level = 0; level < 50_000; level++) deep = level % 2 === 0 ? { deep } : [deep];

    const kept = snapshotJsonValue(deep);

    expect(kept).not.toBe(deep);
    expect(jsonEquals(kept, deep)).toBe(true);
    expect(canonicalJson(kept)).toHaveLength(canonicalJson(deep).length);
  });

  it('S3 a snapshot is detached and frozen all the way down, and a snapshot of it is itself', () => {
    const source = { list: [{ text: 'before' }] };

    const kept = snapshotJsonValue(source);
    source.list[0]!.text = 'after';

    expect(kept.list[0]!.text).toBe('before');
    expect([kept, kept.list, kept.list[0]].every(Object.isFrozen)).toBe(true);
    expect(snapshotJsonValue(kept)).toBe(kept);
  });

  it('names the place of what is wrong', () => {
    expect(() => snapshotJsonValue({ a: [1, { b: undefined }] })).toThrow('undefined at $["a"][1]["b"]');
  });

  test('any JSON text survives parsing, snapshot and canonical text', () => {
    fc.assert(
      fc.property(fc.json(), (source) => {
        const parsed: unknown = JSON.parse(source.replaceAll('-0', '0'));
        const kept = snapshotJsonValue(parsed);

        expect(jsonEquals(kept, parsed)).toBe(true);
        expect(jsonEquals(JSON.parse(canonicalJson(kept)), parsed)).toBe(true);
      }),
    );
  });

  test('canonical text does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 'x', c: null }], a: true, gone: undefined })).toBe(
      '{"a":true,"b":[1,{"c":null,"d":"x"}]}',
    );
    expect(canonicalJson([])).toBe('[]');
    expect(canonicalJson({})).toBe('{}');
  });

  test('equality tells apart what JSON tells apart', () => {
    expect(jsonEquals({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(jsonEquals({ a: undefined }, {})).toBe(false);
    expect(jsonEquals([1], { 0: 1 })).toBe(false);
    expect(jsonEquals([1, 2], [1])).toBe(false);
    expect(jsonEquals(null, {})).toBe(false);
  });

  test('deepFreeze leaves live objects alone and sees through frozen wrappers', () => {
    const signal = new AbortController().signal;
    const request = Object.freeze({ signal, messages: [{ role: 'user' }] });

    deepFreeze(request);

    expect(Object.isFrozen(request.messages[0])).toBe(true);
    expect(Object.isFrozen(signal)).toBe(false);
  });

  test('what was parsed is frozen in place, except -0', () => {
    const parsed = JSON.parse('{"a":[{"b":1}]}') as { a: object[] };

    expect(freezeParsedJson(parsed)).toBe(parsed);
    expect(Object.isFrozen(parsed.a[0])).toBe(true);
    expect(() => freezeParsedJson(JSON.parse('[-0]'))).toThrow('-0');
  });

  test('what was parsed is frozen at any depth', () => {
    let innermost: unknown = freezeParsedJson(JSON.parse(`${'[1,['.repeat(3_000)}{}${']]'.repeat(3_000)}`));
    let depth = 0;
    for (; Array.isArray(innermost); innermost = innermost.at(-1)) {
      expect(Object.isFrozen(innermost)).toBe(true);
      depth += 1;
    }

    expect([depth, Object.isFrozen(innermost)]).toEqual([6_000, true]);
  });
});
