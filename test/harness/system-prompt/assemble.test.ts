import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { createScope } from '../../../src/harness/scope/scope.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import type { AssembleContext, SystemPromptConfig } from '../../../src/harness/system-prompt/types.ts';
import { renderPrompt } from '../../../src/harness/system-prompt/render-prompt.ts';

const agent = { id: 'a' };

function setUp(config?: SystemPromptConfig) {
  const ctx = new Context();
  ctx.plugin(systemPrompt, config);
  const scope = createScope(ctx, agent);
  const textsOf = async (context: AssembleContext = {}) => {
    const { sections } = await ctx.systemPrompt.assemble(context);
    return sections.filter(({ name }) => !name.includes(':')).map(({ name, text }) => `${name}=${text}`);
  };
  return { ctx, prompt: ctx.systemPrompt, scope, scoped: scope.ctx.systemPrompt, textsOf };
}

function schema(name: string, parameters: Record<string, unknown> = {}) {
  return { name, description: `about ${name}`, parameters };
}

async function toolNames(config: SystemPromptConfig | undefined, ...names: string[]): Promise<string[]> {
  const { prompt } = setUp(config);
  prompt.tools(() => ({ schemas: names.map((name) => schema(name)) }));
  return (await prompt.assemble()).tools.map(({ name }) => name);
}

describe('system-prompt', () => {
  it('P1 the service brings one sentence of identity and the persona of its config', async () => {
    const withPersona = await setUp({ persona: 'Be brief.' }).prompt.assemble();
    const without = await setUp().prompt.assemble();

    expect(withPersona.sections).toEqual([
      { name: 'harness:identity', text: expect.stringMatching(/^You are dsh\b[^.]*\.$/) as unknown },
      { name: 'deployment:persona', text: 'Be brief.' },
    ]);
    expect(without.sections[1]).toEqual({ name: 'deployment:persona', text: '' });
  });

  it('P2 a duplicate throws and the original stays; an order must be finite', async () => {
    const { prompt, textsOf } = setUp();
    prompt.section({ name: 'x', order: 1, text: 'first' });
    prompt.variable('v', () => 'first');
    const duplicate = expect.objectContaining({ code: 'DUPLICATE_NAME' });

    expect(() => prompt.section({ name: 'x', order: 1, text: 'second' })).toThrow(duplicate);
    expect(() => prompt.variable('v', () => 'second')).toThrow(duplicate);
    for (const order of [NaN, Infinity]) {
      expect(() => prompt.section({ name: 'y', order, text: '' })).toThrow(TypeError);
    }

    expect(await textsOf()).toEqual(['x=first']);
    expect((await prompt.assemble()).variables).toEqual({ v: 'first' });
  });

  it.each(['', 'Model', '1st', 'a-b', ' a', 'a b', '__proto__', 'é'])('P3 %p cannot name a variable', (name) => {
    expect(() => setUp().prompt.variable(name, () => '')).toThrow(
      expect.objectContaining({ code: 'INVALID_VARIABLE_NAME' }),
    );
  });

  it.each(['a', 'base_ref', 'v2', 'constructor'])('P3 %p can', async (name) => {
    const { prompt } = setUp();
    prompt.variable(name, () => 'value');

    expect(Object.entries((await prompt.assemble()).variables)).toEqual([[name, 'value']]);
  });

  it('P4 every change is announced, and one that a listener refuses is taken back', async () => {
    const { ctx, prompt, textsOf } = setUp();
    let changes = 0;
    const off = ctx.on('system-prompt/change', () => void (changes += 1));
    const undo = [
      prompt.section({ name: 'x', order: 1, text: '' }),
      prompt.variable('v', () => ''),
      prompt.tools(() => ({ schemas: [] })),
    ];
    expect(changes).toBe(3);
    for (const dispose of undo) await dispose();
    expect(changes).toBe(6);

    await off();
    const refuse = ctx.on('system-prompt/change', () => {
      throw new Error('refused');
    });
    expect(() => prompt.section({ name: 'x', order: 1, text: 'one' })).toThrow('refused');
    await refuse();
    expect(await textsOf()).toEqual([]);
    prompt.section({ name: 'x', order: 1, text: 'two' });
    expect(await textsOf()).toEqual(['x=two']);
  });

  it('P5 contributions go with their plugin, the built-ins stay', async () => {
    const { ctx, prompt } = setUp();
    const fiber = ctx.plugin({
      name: 'guide',
      inject: ['systemPrompt'],
      apply(child) {
        child.systemPrompt.section({ name: 'x', order: 1, text: '' });
        child.systemPrompt.variable('v', () => '');
        child.systemPrompt.tools(() => ({ schemas: [schema('t')] }));
      },
    });
    expect((await prompt.assemble()).sections).toHaveLength(3);

    await fiber.dispose();

    const { sections, variables, tools } = await prompt.assemble();
    expect(sections.map(({ name }) => name)).toEqual(['harness:identity', 'deployment:persona']);
    expect([variables, tools]).toEqual([{}, []]);
  });

  it.each(['scoped first', 'global first'])('P6 a shadow holds for its agent only (%s)', async (order) => {
    const { prompt, scoped, textsOf } = setUp();
    const asked: string[] = [];
    const register = [
      () => prompt.section({ name: 'x', order: 1, text: () => (asked.push('global'), 'global') }),
      () => scoped.section({ name: 'x', order: 2, text: 'scoped' }),
    ];
    for (const run of order === 'global first' ? register : register.toReversed()) run();
    prompt.variable('v', () => 'global');
    scoped.variable('v', () => 'scoped');

    expect(await textsOf({ scope: agent })).toEqual(['x=scoped']);
    expect((await prompt.assemble({ scope: agent })).variables).toEqual({ v: 'scoped' });
    expect(asked).toEqual([]);

    expect(await textsOf({ scope: {} })).toEqual(['x=global']);
    expect((await prompt.assemble()).variables).toEqual({ v: 'global' });
  });

  it('P7 all global providers are asked, then the scoped ones; one may have no value, or add another', async () => {
    const { prompt, scoped } = setUp();
    const asked: string[] = [];
    prompt.variable('shadowed', () => (asked.push('shadowed'), 'global'));
    prompt.variable('empty', () => undefined);
    prompt.variable('adder', () => {
      if (!asked.includes('added')) prompt.variable('added', () => (asked.push('added'), 'new'));
      return 'x';
    });
    scoped.variable('shadowed', () => (asked.push('scoped'), 'scoped'));

    const { variables } = await prompt.assemble({ scope: agent });

    expect(variables).toEqual({ shadowed: 'scoped', empty: undefined, adder: 'x', added: 'new' });
    expect(Object.hasOwn(variables, 'empty')).toBe(true);
    expect(asked).toEqual(['shadowed', 'added', 'scoped']);
  });

  it('P8 sections are sorted by order, equal ones as registered, and see the very context', async () => {
    const { prompt, textsOf } = setUp();
    const seen: unknown[] = [];
    prompt.section({ name: 'late', order: 9, text: 'l' });
    prompt.section({ name: 'b', order: 1.5, text: (context) => (seen.push(context), 'b') });
    prompt.section({ name: 'a', order: 1.5, text: 'a' });
    prompt.section({ name: 'early', order: -200, text: 'e' });
    const context = { signal: new AbortController().signal };

    expect(await textsOf(context)).toEqual(['early=e', 'b=b', 'a=a', 'late=l']);
    expect(seen[0]).toBe(context);
  });

  it('P9 the providers are fixed before the first is asked, and schemas are copied', async () => {
    const { prompt, scoped } = setUp();
    const parameters = { type: 'object', properties: {} as Record<string, unknown> };
    let joined = false;
    prompt.tools(() => {
      if (!joined) prompt.tools(() => ({ schemas: [schema('joiner')] }));
      joined = true;
      return { schemas: [schema('first', parameters)] };
    });
    scoped.tools(() => ({ schemas: [schema('scoped')] }));

    const before = await prompt.assemble({ scope: agent });
    (before.tools[0]!.parameters.properties as Record<string, unknown>).injected = true;
    const after = await prompt.assemble({ scope: agent });
    const other = await prompt.assemble();

    expect(before.tools.map(({ name }) => name)).toEqual(['first', 'scoped']);
    expect(after.tools.map(({ name }) => name)).toEqual(['first', 'joiner', 'scoped']);
    expect(after.tools[0]!.parameters).toEqual({ type: 'object', properties: {} });
    expect(other.tools.map(({ name }) => name)).toEqual(['first', 'joiner']);
  });

  it('P10 tools are sorted by code unit; equal names keep their order', async () => {
    expect(await toolNames(undefined, 'ä', 'b', 'Z', 'a', '_')).toEqual(['Z', '_', 'a', 'b', 'ä']);

    const { prompt } = setUp();
    prompt.tools(() => ({ schemas: [{ ...schema('x'), description: '1' }] }));
    prompt.tools(() => ({ schemas: [{ ...schema('x'), description: '2' }, schema('a')] }));
    expect((await prompt.assemble()).tools.map(({ description }) => description)).toEqual(['about a', '1', '2']);
  });

  it('P11 toolOrder places the listed tools, all others stand sorted at its rest entry', async () => {
    const toolOrder = ['read', '<unlisted-tools>', 'bash'];

    expect(await toolNames({ toolOrder }, 'write', 'bash', 'edit', 'read')).toEqual(['read', 'edit', 'write', 'bash']);
  });

  it.each([
    ['a duplicate', ['a', '<unlisted-tools>', 'a']],
    ['no rest entry', ['a']],
  ])('P12 a toolOrder with %s stops the service from starting', async (_what, toolOrder) => {
    const fiber = new Context().plugin(systemPrompt, { toolOrder });

    await expect(fiber).rejects.toMatchObject({ code: 'INVALID_TOOL_ORDER' });
  });

  it('P12 a listed name nobody knows rejects and is named; one that is only hidden is absent', async () => {
    const { prompt } = setUp({ toolOrder: ['hidden', 'typo', '<unlisted-tools>'] });
    prompt.tools(() => ({ schemas: [schema('shown')], knownNames: ['shown', 'hidden'] }));
    await expect(prompt.assemble()).rejects.toThrow(/"typo".*hidden, shown/);

    prompt.tools(() => ({ schemas: [], knownNames: ['typo'] }));
    expect((await prompt.assemble()).tools.map(({ name }) => name)).toEqual(['shown']);
  });

  it('P12 no tool may be called like the rest entry', async () => {
    await expect(toolNames(undefined, '<unlisted-tools>')).rejects.toMatchObject({ code: 'INVALID_TOOL_ORDER' });
  });

  it('P13 listeners come last, see ordered data, and have the last word', async () => {
    const { ctx, prompt, scope } = setUp();
    const seen: string[][] = [];
    prompt.tools(() => ({ schemas: [schema('b'), schema('a')] }));
    const off = ctx.on('system-prompt/assemble', async (assembly, _context, next) => {
      seen.push(assembly.tools.map(({ name }) => name));
      const inner = await next();
      return { ...inner, tools: inner.tools.toReversed() };
    });
    scope.ctx.on('system-prompt/assemble', () => ({ sections: [], tools: [], variables: { only: 'mine' } }));

    expect((await prompt.assemble()).tools.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(seen).toEqual([['a', 'b']]);
    await off();
    expect(await prompt.assemble({ scope: agent })).toEqual({ sections: [], tools: [], variables: { only: 'mine' } });
  });

  it.each([
    ['a section without a name', { sections: [{ name: '', text: '' }], tools: [], variables: {} }],
    ['two sections of one name', { sections: [1, 2].map(() => ({ name: 'x', text: '' })), tools: [], variables: {} }],
    ['a text that is no string', { sections: [{ name: 'x', text: 1 }], tools: [], variables: {} }],
    ['a tool without a name', { sections: [], tools: [schema('')], variables: {} }],
    ['a bad variable name', { sections: [], tools: [], variables: { 'a b': '' } }],
    ['a value that is no string', { sections: [], tools: [], variables: { a: 1 } }],
  ])('P13 an assembly with %s is refused', async (_what, assembly) => {
    const { ctx, prompt } = setUp();
    ctx.on('system-prompt/assemble', () => assembly as never);

    await expect(prompt.assemble()).rejects.toMatchObject({ code: 'INVALID_ASSEMBLY' });
  });

  it.each(['section', 'variable', 'tools', 'listener'])('P14 a throwing %s is a rejection', async (where) => {
    const { ctx, prompt } = setUp();
    const fail = () => {
      throw new Error('no');
    };
    if (where === 'section') prompt.section({ name: 'x', order: 1, text: fail });
    if (where === 'variable') prompt.variable('x', fail);
    if (where === 'tools') prompt.tools(fail);
    if (where === 'listener') ctx.on('system-prompt/assemble', fail);

    let assembled: Promise<unknown> | undefined;
    expect(() => void (assembled = prompt.assemble())).not.toThrow();
    await expect(assembled).rejects.toThrow('no');
  });

  it('P15 a bare assemble works', async () => {
    const { prompt, scoped } = setUp();
    scoped.section({ name: 'x', order: 1, text: 'scoped' });
    prompt.section({ name: 'y', order: 1, text: ({ signal, scope }) => `${signal?.aborted} ${scope}` });

    expect(renderPrompt(await prompt.assemble())).toMatch(/undefined undefined$/);
  });

  it('P16 a signal is handed to providers of its own assembly and to no later one', async () => {
    const { prompt } = setUp();
    const seen: unknown[] = [];
    prompt.variable('x', ({ signal }) => (seen.push(signal), 'x'));
    const { signal } = new AbortController();

    await prompt.assemble({ signal });
    await prompt.assemble();

    expect(seen).toEqual([signal, undefined]);
  });
});
