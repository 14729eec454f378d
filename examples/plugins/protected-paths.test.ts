import { describe, expect, it } from '@jest/globals';
import type { Plugin } from 'dsh-github/kernel';
import { defineTool } from 'dsh-github/tools';
import { protectedPaths } from './protected-paths.ts';
import { logged, openKernel, runTurn } from './support/open-kernel.ts';
import { ScriptedAdapter, calls, says } from './support/scripted-adapter.ts';

/** A `write` that only remembers where it wrote. */
function writeTool(written: string[]): Plugin<void> {
  const tool = defineTool({
    name: 'write',
    description: 'Writes a file.',
    parameters: { file_path: { type: 'string', required: true } },
    execute: async ({ file_path: path }) => {
      written.push(path);
      return [{ type: 'text', text: 'written' }];
    },
  });
  return { name: 'write-tool', inject: ['tools'], apply: (ctx) => void ctx.tools.register(tool) };
}

const POLICY = protectedPaths(['.github/', 'LICENSE']);

describe('bot-hosts', () => {
  it.each([
    ['LICENSE', 'LICENSE'],
    ['/workspace/.github/workflows/ci.yml', '.github/'],
    ['src/../.github/dsh.yml', '.github/'],
  ])('H11 a policy from outside denies the call before it runs: %s', async (path, rule) => {
    const written: string[] = [];
    const model = new ScriptedAdapter([calls('write', { file_path: path }), says('Then not.')]);
    const ctx = await openKernel(model, [writeTool(written), POLICY]);

    const agent = await runTurn(ctx, 'Change it.');

    expect(written).toEqual([]);
    const [result] = logged(agent, 'tool/result');
    expect(result?.isError).toBe(true);
    expect(JSON.stringify(result?.content)).toContain(`${rule} is protected`);
    expect(logged(agent, 'turn/end')).toMatchObject([{ reason: { kind: 'completed' } }]);
    await ctx.fiber.dispose();
  });

  it.each(['src/main.ts', 'LICENSE.md', 'docs/.github/notes.md', 'what?#1/../LICENSE2'])(
    'H11 a policy passes on what it has no opinion about: %s',
    async (path) => {
      const written: string[] = [];
      const model = new ScriptedAdapter([calls('write', { file_path: path }), says('Done.')]);
      const ctx = await openKernel(model, [writeTool(written), POLICY]);

      await runTurn(ctx, 'Change it.');

      expect(written).toEqual([path]);
      await ctx.fiber.dispose();
    },
  );

  it('H11 policies form a chain: one that delegates leaves the decision to those further in', async () => {
    const written: string[] = [];
    const asked: string[] = [];
    const quiet: Plugin<void> = {
      name: 'quiet',
      apply: (ctx) =>
        void ctx.on('tools/pre-execute', (exec) => {
          asked.push(exec.name);
          return { kind: 'deny', reason: 'not now' };
        }),
    };
    const model = new ScriptedAdapter([calls('write', { file_path: 'src/main.ts' }), says('Then not.')]);
    const ctx = await openKernel(model, [writeTool(written), POLICY, quiet]);

    const agent = await runTurn(ctx, 'Change it.');

    expect(asked).toEqual(['write']);
    expect(written).toEqual([]);
    expect(JSON.stringify(logged(agent, 'tool/result'))).toContain('not now');
    await ctx.fiber.dispose();
  });
});
