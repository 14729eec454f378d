import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import type { GenerateOptions, Message } from '../../../src/harness/llm/types.ts';
import { ask, collect, ScriptedAdapter } from './scripted-adapter.ts';

const mine = new ScriptedAdapter();
const other = new ScriptedAdapter();

async function send(options: GenerateOptions): Promise<GenerateOptions> {
  const ctx = new Context();
  await ctx.plugin(llm);
  ctx.llm.registerAdapter(['mine', 'mine-too'], mine);
  ctx.llm.registerAdapter(['other'], other);
  await collect(ctx.llm.stream(options));
  return (options.provider === 'other' ? other : mine).seen.at(-1)!;
}

function said(provider: string): Message {
  return {
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    provenance: { provider, model: 'm', replayState: { id: provider } },
  };
}

describe('llm-streaming', () => {
  it('L15 state reaches the adapter that wrote it, also under its other provider name', async () => {
    const options = ask({ provider: 'mine-too', messages: [said('mine'), said('mine-too')] });

    expect(await send(options)).toBe(options);
  });

  it.each(['other', 'gone'])('L15 state of provider %s is stripped, provider and model stay', async (provider) => {
    const options = ask({ provider: 'mine', messages: [said(provider), said('mine')] });

    const seen = await send(options);

    expect(seen.messages[0]).toEqual({ ...said(provider), provenance: { provider, model: 'm' } });
    expect(seen.messages[1]).toBe(options.messages[1]);
    expect(options.messages[0]!.provenance).toHaveProperty('replayState');
  });

  it('L15 a frozen request stays frozen, and a stripped message is the same object every time', async () => {
    const foreign = Object.freeze(said('other'));
    const options = Object.freeze(ask({ provider: 'mine', messages: Object.freeze([foreign]) as Message[] }));

    const first = await send(options);
    const second = await send(options);

    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(first.messages)).toBe(true);
    expect(first.messages[0]).toBe(second.messages[0]);
  });
});
