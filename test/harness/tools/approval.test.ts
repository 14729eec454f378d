import { describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { CallApproval } from '../../../src/harness/tools/ask-approval.ts';
import { textOf, tool, ToolWorld } from './tool-world.ts';

type Outcome = Awaited<ReturnType<CallApproval['request']>>;
type Request = Parameters<CallApproval['request']>[0];

function asking(answer?: (request: Request) => Outcome | Promise<Outcome>, reason?: string) {
  const world = new ToolWorld().trace();
  world.ctx.tools.register(tool('echo'));
  world.ctx.on('tools/pre-execute', () => ({ kind: 'ask', ...(reason !== undefined && { reason }) }));
  const requests: Request[] = [];
  const approval = { request: async (request: Request) => (requests.push(request), answer!(request)) };
  if (answer) world.ctx.provide('approval' as string, approval);
  return { world, requests };
}

describe('tools', () => {
  it('T9 without an approval service, or without an agent, ask denies', async () => {
    const unserved = await asking().world.call();
    const { world, requests } = asking(() => 'allowed-once');
    const nobodys = await world.call({ agent: undefined });

    expect(textOf(unserved)).toMatch(/^Error: .*no approval service/);
    expect(textOf(nobodys)).toMatch(/^Error: .*no agent/);
    expect([unserved.error, requests]).toEqual([undefined, []]);
    expect(world.log).toEqual(['pre', 'post', 'result']);
  });

  it('T9 a grant lets the call run, guards included', async () => {
    const { world, requests } = asking(() => 'allowed-once', 'writes a file');
    const { signal } = new AbortController();

    const result = await world.call({ signal });

    expect(textOf(result)).toBe('echo ran');
    expect(world.log).toEqual(['pre', 'guard', 'execute', 'post', 'result']);
    expect(requests).toEqual([
      { agent: world.agent, toolName: 'echo', callId: CallId('c1'), reason: 'writes a file', signal },
    ]);
  });

  it('T9 the three refusals deny with three texts', async () => {
    const texts = new Set<string>();
    for (const outcome of ['rejected', 'cancelled', 'unavailable'] as const) {
      const { world } = asking(() => outcome);
      const result = await world.call();
      expect([result.isError, result.error, world.log]).toEqual([true, undefined, ['pre', 'post', 'result']]);
      texts.add(textOf(result));
    }

    expect(texts.size).toBe(3);
  });

  it('T9 an answer outside the vocabulary denies', async () => {
    const { world } = asking(() => 'yes' as never);

    expect((await world.call()).isError).toBe(true);
    expect(world.log).not.toContain('execute');
  });

  it.each(['cancelled', 'allowed-once', 'rejected'] as const)(
    'T9 a caller cancelled during approval (%s) is aborted before dispatch',
    async (outcome) => {
      const caller = new AbortController();
      const { world } = asking(() => (caller.abort(), outcome));

      const result = await world.call({ signal: caller.signal });

      expect(result.error).toEqual({ name: 'AbortError', code: 'ABORTED_BEFORE_DISPATCH' });
      expect(world.log).toEqual(['pre', 'result']);
    },
  );

  it('T11 a guard still vetoes what was approved', async () => {
    const { world } = asking(() => 'allowed-once');
    world.ctx.tools.guard(() => 'never on main');

    expect(textOf(await world.call())).toBe('Error: never on main');
    expect(world.log).not.toContain('execute');
  });

  it('T15 a failing approval service is final', async () => {
    const { world } = asking(() => Promise.reject(new Error('the log is full')));

    expect(textOf(await world.call())).toBe('Error: the log is full');
    expect(world.log).toEqual(['pre', 'result']);
  });
});
