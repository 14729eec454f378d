import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { defineTool } from '../../../src/harness/tools/define-tool.ts';
import { findWaiting } from '../../../src/harness/kernel/find-waiting.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import { misfitText } from '../../../src/harness/tools/explain-call.ts';
import { textOf, tool, ToolWorld } from './tool-world.ts';

const names = (schemas: { name: string }[]) => schemas.map(({ name }) => name);

describe('tools', () => {
  it('T1 a name is unique in its layer, and the disposer removes exactly its own tool', async () => {
    const { ctx, scope } = new ToolWorld();
    const first = tool('x');
    const remove = ctx.tools.register(first);
    expect(() => ctx.tools.register(tool('x'))).toThrow('agent.ctx');
    expect(ctx.tools.get('x')).toBe(first);

    await remove();
    const second = tool('x');
    ctx.tools.register(second);
    await remove();
    expect(ctx.tools.get('x')).toBe(second);

    scope.ctx.tools.register(tool('x'));
    expect(() => scope.ctx.tools.register(tool('x'))).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }));
  });

  it.each(['global first', 'scoped first'])('T1 a scoped tool shadows its global twin for its agent (%s)', (order) => {
    const { ctx, scope, agent, other } = new ToolWorld();
    const global = tool('x');
    const scoped = tool('x');
    const register = [() => ctx.tools.register(global), () => scope.ctx.tools.register(scoped)];
    for (const run of order === 'global first' ? register : register.toReversed()) run();

    expect(ctx.tools.get('x', agent)).toBe(scoped);
    expect(ctx.tools.get('x', other)).toBe(global);
    expect(ctx.tools.get('x')).toBe(global);
  });

  it('T1 a listener that refuses a change rolls the registration back', async () => {
    const { ctx } = new ToolWorld();
    const refuse = ctx.on('tools/change', () => {
      throw new Error('refused');
    });
    expect(() => ctx.tools.register(tool('x'))).toThrow('refused');
    expect(ctx.tools.get('x')).toBeUndefined();

    await refuse();
    ctx.tools.register(tool('x'));
    expect(names(ctx.tools.schemas())).toEqual(['x']);
  });

  it('T1 tools go with the plugin that registered them', async () => {
    const { ctx } = new ToolWorld();
    const fiber = ctx.plugin({
      name: 'kit',
      inject: ['tools'],
      apply: (child) => void child.tools.register(tool('x')),
    });
    expect(ctx.tools.get('x')).toBeDefined();

    await fiber.dispose();

    expect(ctx.tools.get('x')).toBeUndefined();
  });

  it('T1 a nameless tool, a reserved name or a bad time limit is refused', () => {
    const { ctx } = new ToolWorld();
    const invalid = expect.objectContaining({ code: 'INVALID_TOOL' });

    for (const name of ['', 'run_code']) expect(() => ctx.tools.register(tool(name))).toThrow(invalid);
    for (const timeoutMs of [0, -1, NaN, Infinity]) {
      expect(() => ctx.tools.register(tool('x', { timeoutMs }))).toThrow(invalid);
    }
  });

  it('T2 the model is told name, description and a copy of the parameters, and nothing else', async () => {
    const { ctx } = new ToolWorld();
    const parameters = { type: 'object', properties: { a: {} } };
    const extras = { timeoutMs: 5, isConcurrencySafe: () => true, presentCall: () => undefined };
    ctx.tools.register(tool('x', { parameters, ...extras }));

    const [schema] = ctx.tools.schemas();
    expect(schema).toEqual({ name: 'x', description: 'about x', parameters });
    (schema!.parameters.properties as Record<string, unknown>).b = {};
    expect(parameters.properties).toEqual({ a: {} });

    expect((await ctx.systemPrompt.assemble()).tools).toEqual([{ name: 'x', description: 'about x', parameters }]);
  });

  it('T2 the registry waits for the prompt that it feeds', () => {
    const ctx = new Context();
    ctx.plugin(tools);

    expect(findWaiting(ctx)).toEqual([{ name: 'tools', missing: ['systemPrompt'] }]);
  });

  it('T3 restrictions intersect, spare scoped tools, and hold for their scope only', async () => {
    const { ctx, scope, agent, other } = new ToolWorld();
    for (const name of ['a', 'b', 'c']) ctx.tools.register(tool(name));
    scope.ctx.tools.register(tool('own'));
    scope.ctx.tools.restrict({ allow: ['a', 'b'] });
    const lift = scope.ctx.tools.restrict({ deny: ['b'] });

    expect(names(ctx.tools.schemas(agent))).toEqual(['a', 'own']);
    expect(names(ctx.tools.schemas(other))).toEqual(['a', 'b', 'c']);

    await lift();
    expect(names(ctx.tools.schemas(agent))).toEqual(['a', 'b', 'own']);
  });

  it('T3 an allow list keeps out tools that come later, a deny list lets them in', () => {
    const { ctx, scope, agent } = new ToolWorld();
    ctx.tools.register(tool('a'));
    const allow = ['a'];
    void scope.ctx.tools.restrict({ allow });
    ctx.tools.register(tool('later'));
    allow.push('later');
    expect(names(ctx.tools.schemas(agent))).toEqual(['a']);

    const world = new ToolWorld();
    world.ctx.tools.register(tool('a'));
    world.scope.ctx.tools.restrict({ deny: ['a'] });
    world.ctx.tools.register(tool('later'));
    expect(names(world.ctx.tools.schemas(world.agent))).toEqual(['later']);
  });

  it('T3 a scoped tool registered under a denied name stays visible', () => {
    const { ctx, scope, agent } = new ToolWorld();
    ctx.tools.register(tool('a'));
    scope.ctx.tools.restrict({ deny: ['a'] });
    const own = tool('a');
    scope.ctx.tools.register(own);

    expect(ctx.tools.get('a', agent)).toBe(own);
    expect(names(ctx.tools.schemas(agent))).toEqual(['a']);
  });

  it.each([
    ['no list', {}],
    ['an unknown name', { allow: ['unknown'] }],
    ['a name of the scope only', { deny: ['own'] }],
    ['the reserved name', { deny: ['run_code'] }],
  ])('T3 a restriction with %s is refused', (_what, restriction) => {
    const { ctx, scope } = new ToolWorld();
    ctx.tools.register(tool('a'));
    scope.ctx.tools.register(tool('own'));
    const invalid = expect.objectContaining({ code: 'INVALID_RESTRICTION' });

    expect(() => scope.ctx.tools.restrict(restriction)).toThrow(invalid);
    expect(() => ctx.tools.restrict({ deny: ['a'] })).toThrow(invalid);
  });

  it('T4 a hidden tool is gone from prompt, look-up and execution, like one that never was', async () => {
    const world = new ToolWorld();
    const { ctx, scope, agent } = world;
    ctx.tools.register(tool('a'));
    scope.ctx.tools.restrict({ deny: ['a'] });

    const hidden = await world.call({ name: 'a' });
    const unknown = await world.call({ name: 'zzz' });

    expect((await ctx.systemPrompt.assemble({ scope: agent })).tools).toEqual([]);
    expect(ctx.tools.get('a', agent)).toBeUndefined();
    expect(JSON.stringify(hidden)).toBe(JSON.stringify(unknown).replace('zzz', 'a'));
    expect(hidden.error).toEqual({ name: 'ToolNotFoundError', code: 'UNKNOWN_TOOL' });
    expect(textOf(await world.call({ name: 'a', agent: world.other }))).toBe('a ran');
  });

  it('T4 names of object members are unknown tools', async () => {
    const world = new ToolWorld();

    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await world.call({ name })).error).toMatchObject({ code: 'UNKNOWN_TOOL' });
    }
  });

  it('T4 a toolOrder may list a tool that a restriction hides', async () => {
    const ctx = new Context();
    const { systemPrompt } = await import('../../../src/harness/system-prompt/system-prompt.ts');
    const { createScope } = await import('../../../src/harness/scope/scope.ts');
    ctx.plugin(systemPrompt, { toolOrder: ['b', 'a', '<unlisted-tools>'] });
    ctx.plugin(tools);
    for (const name of ['a', 'b', 'c']) ctx.tools.register(tool(name));
    const agent = {};
    createScope(ctx, agent).ctx.tools.restrict({ deny: ['b'] });

    expect(names((await ctx.systemPrompt.assemble({ scope: agent })).tools)).toEqual(['a', 'c']);
  });

  it.each([
    ['exactly true', () => true, 'parallel'],
    ['false', () => false, 'exclusive'],
    ['truthy', () => 1, 'exclusive'],
    ['a promise', async () => true, 'exclusive'],
    ['missing', undefined, 'exclusive'],
    [
      'throwing',
      () => {
        throw new Error('no');
      },
      'exclusive',
    ],
  ])('T5 a classifier that is %s makes a call %s', (_what, isConcurrencySafe, kind) => {
    const { ctx, agent } = new ToolWorld();
    ctx.tools.register(tool('x', { isConcurrencySafe: isConcurrencySafe as never }));

    expect(ctx.tools.executionMode({ name: 'x', arguments: {}, agent })).toEqual({ kind });
    expect(ctx.tools.executionMode({ name: 'unknown', arguments: {} })).toEqual({ kind: 'exclusive' });
  });

  it('T5 the definition the caller sees decides, and misfitting arguments are exclusive', () => {
    const { ctx, scope, agent } = new ToolWorld();
    const parameters = { path: { type: 'string', required: true } } as const;
    const read = defineTool({
      name: 'x',
      description: '',
      parameters,
      isConcurrencySafe: ({ path }) => path.length > 0,
      execute: async () => [],
    });
    ctx.tools.register(read);
    scope.ctx.tools.register(tool('x'));

    expect(ctx.tools.executionMode({ name: 'x', arguments: { path: 'a' } })).toEqual({ kind: 'parallel' });
    expect(ctx.tools.executionMode({ name: 'x', arguments: {} })).toEqual({ kind: 'exclusive' });
    expect(ctx.tools.executionMode({ name: 'x', arguments: { path: 'a' }, agent })).toEqual({ kind: 'exclusive' });
  });
});

describe('prompts', () => {
  it('PR28 a call of a name without letters, or without end, is answered briefly', async () => {
    const world = new ToolWorld();
    world.ctx.tools.register(tool('a'));

    expect(textOf(await world.call({ name: '' }))).toBe('Error: unknown tool:  — there are: a');
    expect(textOf(await world.call({ name: 'x'.repeat(1_000_000) })).length).toBeLessThan(200);
  });

  it('PR28 a long value is cut between characters', () => {
    const text = misfitText('a', ['"b" must be a number'], { b: `${'x'.repeat(58)}😀${'y'.repeat(99)}` });

    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(`not "${'x'.repeat(58)}…`);
  });
});
