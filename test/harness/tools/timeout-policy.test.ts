import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { timeoutPolicy, timeoutPolicyPlugin } from '../../../src/harness/tools/timeout-policy.ts';
import type { ToolDefinition } from '../../../src/harness/tools/types.ts';
import { textOf, tool, ToolWorld } from './tool-world.ts';

/** A world whose one timer fires when told to. */
function timed(extra: Partial<ToolDefinition>) {
  const world = new ToolWorld();
  const timer = { delayMs: 0, fire: () => {}, stopped: false };
  world.ctx.plugin(
    timeoutPolicyPlugin((delayMs, onFire) => {
      Object.assign(timer, { delayMs, fire: onFire });
      return () => void (timer.stopped = true);
    }),
  );
  world.ctx.tools.register(tool('echo', extra));
  return { world, timer };
}

const timedOut = { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT' };

describe('tools', () => {
  it('T12 T13 a body past its limit is told by its signal, awaited, and ends as TOOL_TIMEOUT', async () => {
    const log: string[] = [];
    const { world, timer } = timed({
      timeoutMs: 1500,
      execute: async (_args, exec) => {
        timer.fire();
        log.push(`aborted ${exec.signal.aborted}`, (exec.signal.reason as Error).message);
        await sleep(5);
        log.push('body ended');
        return [];
      },
    });

    const result = await world.call();

    expect(result).toEqual({
      content: [{ type: 'text', text: 'Error: tool call timed out after 1500ms' }],
      isError: true,
      error: timedOut,
    });
    expect(log).toEqual(['aborted true', 'tool call timed out after 1500ms', 'body ended']);
    expect([timer.delayMs, timer.stopped]).toEqual([1500, true]);
  });

  it('T12 the signal is restored, and a call in time is left alone', async () => {
    const { world, timer } = timed({ timeoutMs: 1500 });
    const signals: AbortSignal[] = [];
    world.ctx.on(
      'tools/execute',
      async (exec, next) => {
        signals.push(exec.signal);
        const result = await next();
        signals.push(exec.signal);
        return result;
      },
      { prepend: true },
    );

    const result = await world.call();
    timer.fire();

    expect(textOf(result)).toBe('echo ran');
    expect(signals[0]).toBe(signals[1]);
    expect(timer.stopped).toBe(true);
  });

  it('T13 a cancel of the caller is not a timeout, even if the timer fires afterwards', async () => {
    const caller = new AbortController();
    const { world, timer } = timed({
      timeoutMs: 1500,
      execute: async () => {
        caller.abort();
        timer.fire();
        return [];
      },
    });

    expect((await world.call({ signal: caller.signal })).error?.code).toBe('ABORTED');
  });

  it('T13 a cancel after the timeout does not hide it', async () => {
    const caller = new AbortController();
    const { world, timer } = timed({
      timeoutMs: 1500,
      execute: async () => {
        timer.fire();
        caller.abort();
        return [];
      },
    });

    expect((await world.call({ signal: caller.signal })).error).toEqual(timedOut);
  });

  it('T12 the limit is that of the tool the caller sees; without one there is no timer', async () => {
    const { world, timer } = timed({ timeoutMs: 1500 });
    world.scope.ctx.tools.register(tool('echo'));

    await world.call();
    expect(timer.delayMs).toBe(0);

    await world.call({ agent: world.other });
    expect(timer.delayMs).toBe(1500);
  });

  it('T12 the policy works on real timers', async () => {
    const world = new ToolWorld();
    world.ctx.plugin(timeoutPolicy);
    const execute: ToolDefinition['execute'] = (_args, { signal }) => sleep(5000, [], { signal });
    world.ctx.tools.register(tool('echo', { timeoutMs: 10, execute }));

    expect((await world.call()).error).toEqual(timedOut);
  });
});
