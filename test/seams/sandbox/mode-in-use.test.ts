import { describe, expect, it } from '@jest/globals';
import { bashTool } from '../../../src/seams/bash/bash-tool.ts';
import { effectiveSandboxMode, holdSandboxMode, setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { SandboxPolicyService } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { createToolBench } from '../tool-bench.ts';

describe('sandbox', () => {
  it('N9 a mode is not narrowed while a terminal is open in a wider container', async () => {
    const { session } = (await createToolBench()).agent;
    setSandboxMode(session, 'danger-full-access');
    const close = holdSandboxMode(session, 'danger-full-access', 'terminal 1');
    const closeOther = holdSandboxMode(session, 'workspace-write', 'language server');

    const narrow = () => setSandboxMode(session, 'workspace-write');

    expect(narrow).toThrow(expect.objectContaining({ code: 'SANDBOX_MODE_IN_USE' }));
    expect(narrow).toThrow('cannot become workspace-write while these run: terminal 1 (danger-full-access) — end them');
    expect(effectiveSandboxMode(session.events)).toBe('danger-full-access');
    close();
    narrow();
    expect(() => setSandboxMode(session, 'read-only')).toThrow(/language server \(workspace-write\)/);
    closeOther();
    setSandboxMode(session, 'read-only');
    expect(effectiveSandboxMode(session.events)).toBe('read-only');
  });

  it('N9 what runs keeps nobody from a wider mode, and no other session from any', async () => {
    const bench = await createToolBench();
    holdSandboxMode(bench.agent.session, 'workspace-write', 'terminal 1');

    setSandboxMode(bench.agent.session, 'workspace-write');
    setSandboxMode(bench.agent.session, 'danger-full-access');
    setSandboxMode(bench.newAgent('other').session, 'read-only');

    expect(effectiveSandboxMode(bench.agent.session.events)).toBe('danger-full-access');
  });

  it('N9 a background command holds the mode of its container until it ends', async () => {
    const bench = await createToolBench();
    const ended: Promise<unknown>[] = [];
    let cancel = () => {};
    bench.ctx.provide('bash', new MemoryBash({ server: { durationMs: 60_000 } }, { mode: 'workspace-write' }));
    bench.ctx.provide('sandboxPolicy', new SandboxPolicyService({ mode: 'workspace-write', workspaceRoot: '/' }));
    bench.ctx.provide(
      'tasks' as never,
      {
        start({ run }: { run(): { done: Promise<unknown>; cancel(): void } }) {
          const task = run();
          ended.push(task.done);
          cancel = () => task.cancel();
          return 'bash-1';
        },
      } as never,
    );
    await bench.ctx.plugin(bashTool, {});
    await bench.call('bash', { command: 'server', description: 'the dev server', run_in_background: true });
    const narrow = () => setSandboxMode(bench.agent.session, 'read-only');

    expect(narrow).toThrow('background command "the dev server" (workspace-write)');

    cancel();
    await Promise.all(ended);
    expect(narrow).not.toThrow();
  });
});
