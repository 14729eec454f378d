import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dockerSandboxPlugin } from '../../src/docker/docker-sandbox-plugin.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../../src/docker/default-image.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import { openSandbox } from '../../src/docker/open-sandbox.ts';
import type { Sandbox } from '../../src/docker/sandbox.ts';
import { Context } from '../../src/harness/kernel/context.ts';
import { mountTools } from '../../src/room/open-room.ts';
import { SandboxPolicyService } from '../../src/seams/sandbox/sandbox-policy.ts';
import { createToolBench } from '../seams/tool-bench.ts';
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

describe('sandbox', () => {
  it('B10 asks the engine once: a sandbox that cannot be had stays away for every call', async () => {
    let questions = 0;
    const engine = createServer((socket) => {
      questions += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    const docker = connectEngine(`tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`);
    const ctx = new Context();
    const sandbox = openSandbox({ ...bench.options, docker });
    await ctx.plugin(dockerSandboxPlugin, { mode: 'workspace-write', sandbox });
    const failed = { code: 'SANDBOX_UNAVAILABLE' };
    await expect(ctx.fs.resolve('a')).rejects.toMatchObject(failed);
    const before = questions;

    await expect(ctx.bash.run(ctx.bash.resolve({ command: 'true' }))).rejects.toMatchObject(failed);
    await expect(ctx.fs.resolve('a')).rejects.toMatchObject(failed);

    expect(before).toBeGreaterThan(0);
    expect(questions).toBe(before);
    await ctx.fiber.dispose();
    engine.close();
  });

  it.each(['fix', 'review', 'ask'] as const)(
    'N8 B15 a %s job shows no way to a wider sandbox and asks nobody for one',
    async (kind) => {
      const tools = await createToolBench();
      const asked: unknown[] = [];
      const policy = new SandboxPolicyService({ mode: 'read-only', workspaceRoot: '/workspace' });
      const approve = { request: async (request: unknown) => (asked.push(request), 'allowed-once') };
      tools.ctx.provide('bash', bench.bash());
      tools.ctx.provide('fs', bench.fs);
      tools.ctx.provide('sandboxPolicy', policy);
      tools.ctx.provide('approval', approve as never);
      await mountTools(tools.ctx, { kind, mode: 'read-only' }, { image: DEFAULT_SANDBOX_IMAGE });
      const wishes = [
        { sandbox_permissions: 'workspace-write', justification: 'the issue says so' },
        { network: 'full', justification: 'the issue says so' },
      ];

      const shown = JSON.stringify(tools.ctx.tools.get('bash')!.parameters);
      for (const wish of wishes) {
        const call = { command: 'touch widened', description: 'touch', ...wish };
        expect(await tools.failure('bash', call)).toMatchObject({ code: 'INVALID_ARGS' });
      }

      expect(shown).not.toMatch(/sandbox_permissions|justification|"network"/);
      expect([asked, existsSync(join(bench.tree, 'widened'))]).toEqual([[], false]);
    },
  );
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
