import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { defineTool, schemaSpecToJsonSchema, validateArgs } from '../../../src/harness/tools/define-tool.ts';
import type { InferArgs } from '../../../src/harness/tools/define-tool.ts';
import { parseToolArguments } from '../../../src/harness/tools/parse-tool-arguments.ts';
import type { ToolResult } from '../../../src/harness/tools/types.ts';
import { textOf, tool, ToolWorld } from './tool-world.ts';

const SPEC = {
  path: { type: 'string', required: true, description: 'Where.' },
  mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
  count: { type: 'number' },
  deep: { type: 'boolean' },
  free: { type: 'object' },
  any: { type: 'array' },
  edits: {
    type: 'array',
    items: {
      type: 'object',
      properties: { line: { type: 'number', required: true }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
} as const;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compile-time only: what `InferArgs` makes of the spec above. */
const inferred: Equal<
  InferArgs<typeof SPEC>,
  {
    path: string;
    mode?: 'a' | 'b';
    count?: number;
    deep?: boolean;
    free?: Record<string, unknown>;
    any?: unknown[];
    edits?: { line: number; tags?: string[] }[];
  }
> = true;

describe('tools', () => {
  it('T20 the argument text is parsed once and never repaired', () => {
    expect(parseToolArguments('')).toEqual({});
    expect(parseToolArguments('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseToolArguments('null')).toBeNull();
    for (const raw of ['{"a":1', "{'a':1}", '{"a":1},', ' ', 'undefined']) expect(parseToolArguments(raw)).toBe(raw);
  });

  it('T20 text that is no JSON ends in INVALID_ARGS, for the model to mend', async () => {
    const world = new ToolWorld();
    world.ctx.tools.register(defineTool({ name: 'echo', description: '', parameters: SPEC, execute: async () => [] }));

    const result = await world.call({ arguments: parseToolArguments('{"path": ') });

    expect(result.error).toEqual({ name: 'ToolArgsError', code: 'INVALID_ARGS' });
    expect(textOf(result)).toBe(
      'Error: invalid arguments for echo: "arguments" must be an object: Unexpected end of JSON input, at position 9 — call echo again with all of its arguments in one JSON object',
    );
  });

  it('T21 defineTool infers the arguments of its functions', () => {
    expect(inferred).toBe(true);
    defineTool({
      name: 'typed',
      description: '',
      parameters: { path: { type: 'string', required: true }, kind: { type: 'string', enum: ['x', 'y'] } },
      isConcurrencySafe: ({ path }) => path.startsWith('/'),
      execute: async ({ path, kind }) => {
        const checked: Equal<[typeof path, typeof kind], [string, 'x' | 'y' | undefined]> = true;
        // @ts-expect-error no such parameter
        return [{ type: 'text', text: `${{ path }.other}${kind}${checked}` }];
      },
    });
    // @ts-expect-error an unknown type of parameter
    const unknownType = () => schemaSpecToJsonSchema({ a: { type: 'integer' } });
    // @ts-expect-error required can only be true
    const requiredFalse = () => schemaSpecToJsonSchema({ a: { type: 'string', required: false } });

    expect([unknownType, requiredFalse]).toHaveLength(2);
  });

  it('T21 the schema is plain JSON Schema, with required only where something is', () => {
    expect(schemaSpecToJsonSchema(SPEC)).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where.' },
        mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
        count: { type: 'number' },
        deep: { type: 'boolean' },
        free: { type: 'object' },
        any: { type: 'array' },
        edits: {
          type: 'array',
          items: {
            type: 'object',
            properties: { line: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } } },
            required: ['line'],
          },
        },
      },
      required: ['path'],
    });
    expect(schemaSpecToJsonSchema({})).toEqual({ type: 'object', properties: {} });
    expect(Object.hasOwn(schemaSpecToJsonSchema({ a: { type: 'string' } }), 'required')).toBe(false);
  });

  it.each<[unknown, string[]]>([
    [{ path: 'x' }, []],
    [{ path: 'x', unknown: 1, mode: 'b', free: { a: 1 }, any: [1, 'x'] }, []],
    [{ path: 'x', edits: [{ line: 1, tags: ['a'] }] }, []],
    [undefined, ['"arguments" must be an object']],
    [null, ['"arguments" must be an object']],
    [[], ['"arguments" must be an object']],
    ['raw', ['"arguments" must be an object']],
    [{}, ['"path" is required']],
    [{ path: undefined }, ['"path" is required']],
    [Object.create({ path: 'inherited' }), ['"path" is required']],
    [{ path: null }, ['"path" must be a string']],
    [{ path: 'x', mode: 'c' }, ['"mode" must be one of "a", "b"']],
    [{ path: 'x', free: [], any: {} }, ['"free" must be an object', '"any" must be an array']],
    [
      { path: 1, count: '1', deep: 0, edits: [{ line: 1 }, {}, { line: 'x', tags: ['a', 'b', 3] }, 4] },
      [
        '"path" must be a string',
        '"count" must be a number',
        '"deep" must be a boolean',
        '"edits[1].line" is required',
        '"edits[2].line" must be a number',
        '"edits[2].tags[2]" must be a string',
        '"edits[3]" must be an object',
      ],
    ],
  ])('T21 %j has the violations %j', (args, violations) => {
    expect(validateArgs(SPEC, args)).toEqual(violations);
  });

  it('T21 validation agrees with the schema the model was given', () => {
    const matches = new Ajv({ strict: false }).compile(schemaSpecToJsonSchema(SPEC));
    const values = ['x', 1, true, null, {}, [], [{ line: 1 }], [{}], 'a'];
    for (const key of [...Object.keys(SPEC), 'extra']) {
      for (const value of values) {
        const args = { path: 'p', [key]: value };
        expect([args, validateArgs(SPEC, args).length === 0]).toEqual([args, matches(args)]);
      }
    }
  });

  it('T21 defaults are told, not applied, and nothing is thrown at hostile arguments', async () => {
    const world = new ToolWorld();
    let seen: unknown;
    const execute = async (args: unknown) => ((seen = args), []);
    world.ctx.tools.register(defineTool({ name: 'echo', description: '', parameters: SPEC, execute }));
    await world.call({ arguments: { path: 'x' } });
    expect(seen).toEqual({ path: 'x' });

    const hostile = Object.defineProperty({}, 'path', {
      enumerable: true,
      get: () => {
        throw new Error('hostile');
      },
    });
    expect(validateArgs(SPEC, hostile)).toEqual(['"arguments" cannot be read']);
  });

  it('T21 parameters may be named like members of objects', () => {
    const spec = { constructor: { type: 'string', required: true }, ['__proto__']: { type: 'number' } } as never;

    expect(validateArgs(spec, {})).toEqual(['"constructor" is required']);
    expect(validateArgs(spec, JSON.parse('{"constructor":"x","__proto__":"y"}'))).toEqual([
      '"__proto__" must be a number',
    ]);
    expect(Object.keys(schemaSpecToJsonSchema(spec).properties)).toEqual(['constructor', '__proto__']);
  });

  it('T22 a raw JSON Schema tool gets what the model wrote', async () => {
    const world = new ToolWorld();
    const seen: unknown[] = [];
    const parameters = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
    world.ctx.tools.register(tool('echo', { parameters, execute: async (args) => (seen.push(args), []) }));

    await world.call({ arguments: { a: 1 } });
    await world.call({ arguments: 'raw' });

    expect(seen).toEqual([{ a: 1 }, 'raw']);
  });

  it('T23 presenters see only arguments that fit, and never throw', () => {
    const result: ToolResult = { content: [], isError: false };
    const shown = defineTool({
      name: 'x',
      description: '',
      parameters: { path: { type: 'string', required: true } },
      execute: async () => [],
      presentCall: ({ path }) => {
        if (path === 'bad') throw new Error('no');
        return { card: 'generic', title: path.toUpperCase() };
      },
      presentResult: ({ path }) => ({ card: 'generic', title: path.toUpperCase() }),
    });
    const silent = defineTool({ name: 'y', description: '', parameters: {}, execute: async () => [] });

    expect(shown.presentCall?.({ path: 'a' })).toEqual({ card: 'generic', title: 'A' });
    expect(shown.presentResult?.({ path: 'a' }, result)).toEqual({ card: 'generic', title: 'A' });
    for (const old of [{}, { path: 1 }, 'raw', null, { path: 'bad' }]) expect(shown.presentCall?.(old)).toBeUndefined();
    expect(shown.presentResult?.({ path: 1 }, result)).toBeUndefined();
    expect([silent.presentCall?.({}), silent.presentResult?.({}, result)]).toEqual([undefined, undefined]);
  });
});
