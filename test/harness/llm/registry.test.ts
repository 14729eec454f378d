import { describe, expect, it } from '@jest/globals';
import { LlmAdapter } from '../../../src/harness/llm/llm-adapter.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { LlmModelContext, LlmModelInfo, LlmProviderInfo } from '../../../src/harness/llm/types.ts';
import { ask, collect, failureOf, reply, ScriptedAdapter } from './scripted-adapter.ts';

async function start(): Promise<Context> {
  const ctx = new Context();
  await ctx.plugin(llm);
  return ctx;
}

class Named extends ScriptedAdapter {
  readonly #info: LlmProviderInfo;
  constructor(info: LlmProviderInfo) {
    super();
    this.#info = info;
  }
  override providerInfo(): LlmProviderInfo {
    return this.#info;
  }
}

class Catalogue extends LlmAdapter {
  models: LlmModelInfo[] = [];
  context: LlmModelContext | undefined;
  override listModels = async () => this.models;
  override resolveModelContext = async () => this.context;
  override stream = () => reply('ok');
}

describe('llm-streaming', () => {
  it.each<[string, string[], LlmAdapter, string]>([
    ['no provider', [], new ScriptedAdapter(), 'INVALID_ADAPTER'],
    ['an empty provider name', ['a', ''], new ScriptedAdapter(), 'INVALID_ADAPTER'],
    ['a changed id', ['a'], new Named({ id: 'b', name: 'B' }), 'INVALID_ADAPTER'],
    ['an empty display name', ['a'], new Named({ id: 'a', name: '' }), 'INVALID_ADAPTER'],
    ['a route named twice', ['a', 'a'], new ScriptedAdapter(), 'DUPLICATE_ADAPTER'],
    ['a route that is taken', ['a', 'taken'], new ScriptedAdapter(), 'DUPLICATE_ADAPTER'],
  ])('L1 registering with %s adds no route at all', async (_what, providers, adapter, code) => {
    const ctx = await start();
    ctx.llm.registerAdapter(['taken'], new ScriptedAdapter());

    expect(() => ctx.llm.registerAdapter(providers, adapter)).toThrow(expect.objectContaining({ code }));

    expect(ctx.llm.listProviders()).toEqual([{ id: 'taken', name: 'taken' }]);
  });

  it('L1 the disposer frees all routes of its registration and no others', async () => {
    const ctx = await start();
    const dispose = ctx.llm.registerAdapter(['a', 'b'], new ScriptedAdapter());
    ctx.llm.registerAdapter(['c'], new ScriptedAdapter());

    await dispose();
    ctx.llm.registerAdapter(['a'], new ScriptedAdapter());
    await dispose();

    expect(ctx.llm.listProviders().map(({ id }) => id)).toEqual(['c', 'a']);
  });

  it('L1 unloading the owner frees its routes', async () => {
    const ctx = await start();
    const owner = ctx.plugin({
      name: 'owner',
      inject: ['llm'],
      apply: (own: Context) => void own.llm.registerAdapter(['a', 'b'], new ScriptedAdapter()),
    });
    await owner;
    expect(ctx.llm.listProviders()).toHaveLength(2);

    await owner.dispose();

    expect(ctx.llm.listProviders()).toEqual([]);
  });

  it('L2 a model the catalogue does not list still routes', async () => {
    const ctx = await start();
    const adapter = new Catalogue();
    adapter.models = [{ provider: 'a', id: 'known', name: 'Known' }];
    ctx.llm.registerAdapter(['a'], adapter);

    const chunks = await collect(ctx.llm.stream(ask({ provider: 'a', model: 'unlisted' })));

    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' } });
  });

  it.each<[string, LlmModelInfo[]]>([
    ['of another provider', [{ provider: 'b', id: 'm', name: 'M' }]],
    ['without id', [{ provider: 'a', id: '', name: 'M' }]],
    ['without name', [{ provider: 'a', id: 'm', name: '' }]],
    [
      'twice',
      [
        { provider: 'a', id: 'm', name: 'M' },
        { provider: 'a', id: 'm', name: 'N' },
      ],
    ],
    ['that is nothing', [null as unknown as LlmModelInfo]],
  ])('L2 a model listed %s makes the catalogue invalid', async (_what, models) => {
    const ctx = await start();
    const adapter = new Catalogue();
    adapter.models = models;
    ctx.llm.registerAdapter(['a'], adapter);

    await expect(ctx.llm.listModels('a')).rejects.toMatchObject({ code: 'INVALID_CATALOG' });
  });

  it('L2 catalogue and capacity are detached copies', async () => {
    const ctx = await start();
    const adapter = new Catalogue();
    adapter.models = [{ provider: 'a', id: 'm', name: 'M', description: 'd' }];
    adapter.context = { contextWindow: 1000 };
    ctx.llm.registerAdapter(['a'], adapter);

    const models = await ctx.llm.listModels('a');
    const capacity = await ctx.llm.resolveModelContext('a', 'm');
    models[0]!.name = 'changed';
    capacity!.contextWindow = 1;
    ctx.llm.listProviders()[0]!.name = 'changed';

    expect(await ctx.llm.listModels('a')).toEqual([{ provider: 'a', id: 'm', name: 'M', description: 'd' }]);
    expect(await ctx.llm.resolveModelContext('a', 'm')).toEqual({ contextWindow: 1000 });
    expect(ctx.llm.listProviders()).toEqual([{ id: 'a', name: 'a' }]);
  });

  it.each([0, -1, 1.5, NaN])(
    'L2 a context window of %p is refused, an unknown one is undefined',
    async (contextWindow) => {
      const ctx = await start();
      const adapter = new Catalogue();
      ctx.llm.registerAdapter(['a'], adapter);
      expect(await ctx.llm.resolveModelContext('a', 'm')).toBeUndefined();

      adapter.context = { contextWindow };

      await expect(ctx.llm.resolveModelContext('a', 'm')).rejects.toMatchObject({ code: 'INVALID_MODEL_CONTEXT' });
    },
  );

  it('L3 stream() returns at once and a missing adapter shows at the first read', async () => {
    const ctx = await start();

    const stream = ctx.llm.stream(ask({ provider: 'nobody' }));

    expect(await failureOf(stream)).toMatchObject({ code: 'NO_ADAPTER' });
  });

  it('L3 the adapter is looked up at the first read, so one registered in between answers', async () => {
    const ctx = await start();
    const stream = ctx.llm.stream(ask({ provider: 'late' }));

    ctx.llm.registerAdapter(['late'], new ScriptedAdapter());

    expect(await collect(stream)).toHaveLength(4);
  });

  it('L3 a listener may answer itself, or route to another provider', async () => {
    const ctx = await start();
    const adapter = new ScriptedAdapter();
    ctx.llm.registerAdapter(['real'], adapter);
    ctx.on('llm/stream', (options, next) => {
      if (options.provider === 'canned') return reply('canned');
      return options.provider === 'alias' ? ctx.llm.stream({ ...options, provider: 'real' }) : next();
    });

    const canned = await collect(ctx.llm.stream(ask({ provider: 'canned' })));
    await collect(ctx.llm.stream(ask({ provider: 'alias' })));

    expect(canned[1]).toMatchObject({ text: 'canned' });
    expect(adapter.seen.map(({ provider }) => provider)).toEqual(['real']);
  });
});
