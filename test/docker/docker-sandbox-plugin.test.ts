import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dockerSandboxPlugin } from '../../src/docker/docker-sandbox-plugin.ts';
import type { Sandbox } from '../../src/docker/sandbox.ts';
import { Context } from '../../src/harness/kernel/context.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
beforeAll(async () => {
  bench = await openBench({}, { 'a.txt': 'text' });
});
afterAll(() => bench.close());

describe('sandbox', () => {
  it('N4 replaces commands and files together, and may be mounted while the sandbox starts', async () => {
    const ctx = new Context();
    const { promise: sandbox, resolve: started } = Promise.withResolvers<Sandbox>();
    await ctx.plugin(dockerSandboxPlugin, { mode: 'workspace-write', sandbox });
    expect([ctx.bash.sandboxMode, ctx.fs.sandboxMode]).toEqual(['workspace-write', 'workspace-write']);
    const running = ctx.bash.run(ctx.bash.resolve({ command: 'cat a.txt' }));

    started(bench.sandbox);

    expect((await running).stdout.text).toBe('text');
    expect(await ctx.fs.readText(await ctx.fs.resolve('a.txt'))).toBe('text');
    await ctx.fiber.dispose();
  });

  it('N5 B9 fails every call with the reason when the sandbox does not start', async () => {
    const ctx = new Context();
    const sandbox = Promise.reject(Object.assign(new Error('no engine'), { code: 'SANDBOX_UNAVAILABLE' }));
    await ctx.plugin(dockerSandboxPlugin, { mode: 'read-only', sandbox });

    const background = ctx.bash.start(ctx.bash.resolve({ command: 'true' }));
    await expect(ctx.bash.run(ctx.bash.resolve({ command: 'true' }))).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    await expect(ctx.fs.resolve('a')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });

    await background.done;
    expect(background).toMatchObject({ status: 'killed', sandbox: { runnerFailed: true, denied: false } });
    await ctx.fiber.dispose();
  });
});

describe('bash', () => {
  it('B15 ends background commands when the plugin is unloaded', async () => {
    const ctx = new Context();
    const sandbox = Promise.resolve(bench.sandbox);
    const fiber = ctx.plugin(dockerSandboxPlugin, { mode: 'workspace-write', sandbox });
    await fiber;
    const process = ctx.bash.start(ctx.bash.resolve({ command: 'sleep 81' }));

    await fiber.dispose();

    expect(process.status).toBe('killed');
  });
});
