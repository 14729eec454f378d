import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { assertSupportedOutputSchema } from '../../../src/harness/tools/output-schema.ts';
import type { StructuredOutputSchema } from '../../../src/harness/tools/output-schema.ts';
import { validateStructuredValue } from '../../../src/harness/tools/validate-structured-value.ts';

const SCHEMA: StructuredOutputSchema = {
  type: 'object',
  title: 'Report',
  additionalProperties: false,
  required: ['status', 'items'],
  properties: {
    status: { type: 'string', enum: ['ok', 'bad'], description: 'How it went.' },
    version: { type: 'integer', const: 1 },
    items: {
      type: 'array',
      examples: [[]],
      items: { type: 'object', required: ['n'], properties: { n: { type: 'number' }, nothing: { type: 'null' } } },
    },
    flag: { type: 'boolean', default: false },
  },
};

function violationsOf(schema: unknown): string[] {
  try {
    assertSupportedOutputSchema(schema);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNSUPPORTED_SCHEMA', name: 'OutputSchemaError' });
    return [...(error as { violations: string[] }).violations];
  }
}

describe('tools', () => {
  it('takes schemas of the subset', () => {
    expect(violationsOf(SCHEMA)).toEqual([]);
    expect(violationsOf({ type: 'object' })).toEqual([]);
  });

  it('lists every place where a schema leaves it', () => {
    const schema = {
      type: 'object',
      $ref: '#/x',
      required: [1],
      additionalProperties: { type: 'string' },
      properties: {
        a: { type: ['string', 'null'] },
        b: { anyOf: [] },
        c: { type: 'array', items: { type: 'date', pattern: 'x' } },
        d: { type: 'string', enum: [], const: {} },
        e: 'string',
        f: { type: 'string', constructor: 1 },
      },
    };

    expect(violationsOf(schema)).toEqual([
      'schema.$ref is not supported',
      'schema.required must be a list of strings',
      'schema.additionalProperties must be a boolean',
      'schema.properties.a.type must be one of object, array, string, number, integer, boolean, null',
      'schema.properties.b.type is missing',
      'schema.properties.b.anyOf is not supported',
      'schema.properties.c.items.type must be one of object, array, string, number, integer, boolean, null',
      'schema.properties.c.items.pattern is not supported',
      'schema.properties.d.enum must be a list of scalars',
      'schema.properties.d.const must be a scalar',
      'schema.properties.e must be an object',
      'schema.properties.f.constructor is not supported',
    ]);
  });

  it.each([
    ['a root that is no object', { type: 'string' }, 'schema.type must be "object"'],
    ['nothing', undefined, 'not lossless JSON'],
    ['a list', [], 'schema must be an object'],
    ['a cycle', cyclic({ type: 'object' }), 'a cycle'],
  ])('refuses %s', (_what, schema, message) => {
    expect(violationsOf(schema).join()).toContain(message);
  });

  it.each<[unknown, string[]]>([
    [{ status: 'ok', items: [] }, []],
    [{ status: 'ok', items: [{ n: 1.5, nothing: null, more: 1 }], version: 1, flag: true }, []],
    [[], ['the value must be of type object']],
    [null, ['the value must be of type object']],
    [{}, ['"status" is required', '"items" is required']],
    [{ status: 'odd', items: [], extra: 1 }, ['"extra" is not allowed', '"status" must be one of "ok", "bad"']],
    [
      { status: 'ok', version: 1.5, items: [{}, { n: 'x', nothing: 0 }], flag: 'true' },
      [
        '"version" must be of type integer',
        '"items[0].n" is required',
        '"items[1].n" must be of type number',
        '"items[1].nothing" must be of type null',
        '"flag" must be of type boolean',
      ],
    ],
    [{ status: 'ok', version: 2, items: [] }, ['"version" must be 1']],
  ])('%j has the violations %j', (value, violations) => {
    expect(validateStructuredValue(SCHEMA, value)).toEqual(violations);
    expect(new Ajv().compile(SCHEMA)(value)).toBe(violations.length === 0);
  });

  it.each([
    ['a cycle', cyclic({ status: 'ok' })],
    ['a function', () => {}],
    ['NaN', { status: 'ok', items: [{ n: NaN }] }],
  ])('never throws, not even at %s', (_what, value) => {
    expect(validateStructuredValue(SCHEMA, value)).toEqual(['the value is not JSON']);
  });

  it('counts own properties only', () => {
    const schema: StructuredOutputSchema = { type: 'object', required: ['constructor'] };

    expect(validateStructuredValue(schema, {})).toEqual(['"constructor" is required']);
    expect(validateStructuredValue({ type: 'object', additionalProperties: false }, { toString: 1 })).toEqual([
      '"toString" is not allowed',
    ]);
  });
});

function cyclic(value: Record<string, unknown>): unknown {
  value.self = value;
  return value;
}
