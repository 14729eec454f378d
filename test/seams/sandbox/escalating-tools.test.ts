import { describe, expect, it } from '@jest/globals';
import { bashTool } from '../../../src/seams/bash/bash-tool.ts';
import type { BashToolConfig } from '../../../src/seams/bash/bash-setup.ts';
import { editTool } from '../../../src/seams/filesystem/edit-tool.ts';
import { writeTool } from '../../../src/seams/filesystem/write-tool.ts';
import type { EscalationOutcome } from '../../../src/seams/sandbox/escalation.ts';
import { setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { SandboxPolicyService } from '../../../src/seams/sandbox/sandbox-policy.ts';
import type { SandboxMode } from '../../../src/seams/sandbox/types.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { createToolBench } from '../tool-bench.ts';

interface Setting extends BashToolConfig {
  mode?: SandboxMode;
  outcome?: EscalationOutcome;
}

async function setUp({ mode, outcome, ...config }: Setting) {
  const bench = await createToolBench();
  const asked: { reason: string }[] = [];
  const bash = new MemoryBash({ touch: { stdout: 'ok\n' } }, { ...(mode && { mode }) });
  const fs = new MemoryFileSystem({ 'a.txt': 'one' }, { ...(mode && { mode }) });
  bench.ctx.provide('bash', bash);
  bench.ctx.provide('fs', fs);
  bench.ctx.provide(
    'sandboxPolicy',
    new SandboxPolicyService({ mode: mode ?? 'read-only', workspaceRoot: '/workspace' }),
  );
  if (outcome) {
    bench.ctx.provide('approval', {
      request: async (request: { reason: string }) => {
        asked.push(request);
        return outcome;
      },
    } as never);
  }
  await bench.ctx.plugin(bashTool, config);
  await bench.ctx.plugin(writeTool, config);
  await bench.ctx.plugin(editTool, config);
  return { bench, bash, fs, asked };
}

const touch = { command: 'touch', description: 'touch' };
const wider = { sandbox_permissions: 'workspace-write', justification: 'the fix needs it' };
const editing = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
const fieldsOf = (bench: Awaited<ReturnType<typeof createToolBench>>, name: string) =>
  Object.keys((bench.ctx.tools.get(name)!.parameters as { properties: object }).properties);

describe('sandbox', () => {
  it.each(['bash', 'write', 'edit'])('B14 shows the fields of %s only where the backend confines', async (name) => {
    const confined = await setUp({ mode: 'workspace-write' });
    const open = await setUp({});
    const untrusted = await setUp({ mode: 'read-only', escalation: false });

    expect(fieldsOf(confined.bench, name)).toEqual(expect.arrayContaining(['sandbox_permissions', 'justification']));
    expect(confined.bench.ctx.tools.get(name)?.parameters).toMatchObject({
      properties: { sandbox_permissions: { enum: ['workspace-write', 'danger-full-access'] } },
    });
    for (const { bench } of [open, untrusted]) expect(fieldsOf(bench, name)).not.toContain('sandbox_permissions');
  });

  it('B13 B3 gives a granted mode to exactly one call', async () => {
    const { bench, bash, asked } = await setUp({ mode: 'read-only', outcome: 'allowed-once' });

    await bench.call('bash', { ...touch, ...wider });
    await bench.call('bash', touch);

    expect(bash.specs.map(({ sandboxPolicy }) => sandboxPolicy)).toEqual([
      { mode: 'workspace-write', workspaceRoot: '/workspace' },
      { mode: 'read-only', workspaceRoot: '/workspace' },
    ]);
    expect(asked).toHaveLength(1);
  });

  it.each([{ sandbox_permissions: 'workspace-write' }, { justification: 'because' }, { ...wider, justification: ' ' }])(
    'B11 asks nobody and runs nothing for %j',
    async (fields) => {
      const { bench, bash, asked } = await setUp({ mode: 'read-only', outcome: 'allowed-once' });

      expect(await bench.failure('bash', { ...touch, ...fields })).toMatchObject({ code: 'INVALID_ARGS' });

      expect([asked, bash.specs]).toEqual([[], []]);
    },
  );

  it('B12 runs nothing when the request is refused', async () => {
    const { bench, bash } = await setUp({ mode: 'read-only', outcome: 'rejected' });

    const { code, text } = await bench.failure('bash', { ...touch, ...wider });

    expect(code).toBe('SANDBOX_ESCALATION_REJECTED');
    expect(text).toMatch(/^Error: .*refused/);
    expect(bash.specs).toEqual([]);
  });

  it('B12 measures what is wider against the mode of the session', async () => {
    const { bench, asked } = await setUp({ mode: 'read-only', outcome: 'allowed-once' });
    setSandboxMode(bench.agent.session, 'workspace-write');

    const { code } = await bench.failure('bash', { ...touch, ...wider });

    expect(code).toBe('SANDBOX_ESCALATION_NOT_WIDER');
    expect(asked).toEqual([]);
  });

  it.each([
    ['bash', touch],
    ['write', { file_path: 'b.txt', content: 'x' }],
    ['edit', editing],
  ])('B15 refuses fields of %s that were not offered', async (name, args) => {
    const { bench, bash, fs } = await setUp({});
    const untrusted = await setUp({ mode: 'workspace-write', escalation: false, outcome: 'allowed-once' });

    for (const setting of [bench, untrusted.bench]) {
      expect(await setting.failure(name, { ...args, ...wider })).toMatchObject({ code: 'INVALID_ARGS' });
    }

    expect(untrusted.asked).toEqual([]);
    expect(bash.specs).toEqual([]);
    expect([fs.textOf('b.txt'), fs.textOf('a.txt')]).toEqual([undefined, 'one']);
  });

  it.each([bashTool, writeTool, editTool])(
    'B16 does not load $name over a confining backend without a policy',
    async (plugin) => {
      const bench = await createToolBench();
      bench.ctx.provide('bash', new MemoryBash({}, { mode: 'read-only' }));
      bench.ctx.provide('fs', new MemoryFileSystem({}, { mode: 'read-only' }));

      await expect(bench.ctx.plugin(plugin)).rejects.toMatchObject({ code: 'SANDBOX_POLICY_MISSING' });
    },
  );

  it('B17 marks a denied edit with mode and way out, and keeps its code', async () => {
    const { bench, fs } = await setUp({ mode: 'read-only', outcome: 'allowed-once' });

    const denied = await bench.failure('edit', editing);
    const allowed = await bench.call('edit', { ...editing, ...wider });

    expect(denied.code).toBe('FS_SANDBOX_DENIED');
    expect(denied.text).toMatch(
      /\n\[sandbox: file access denied under read-only mode\]\n\[sandbox: .*this exact operation.*\]$/,
    );
    expect(allowed.isError).toBe(false);
    expect(fs.textOf('a.txt')).toBe('two');
  });

  it('B17 gives no hint where nothing wider can be had', async () => {
    const { bench } = await setUp({ mode: 'read-only', escalation: false });

    const { text } = await bench.failure('write', { file_path: 'b.txt', content: 'x' });

    expect(text).toContain('[sandbox: file access denied under read-only mode]');
    expect(text).not.toContain('sandbox_permissions');
    expect(text).toMatch(/this is policy, and repeating .* will not help/);
  });

  it('N12 opens the network for one command in the same mode', async () => {
    const setting = { mode: 'workspace-write', outcome: 'allowed-once', networkBound: 'allow-list' } as const;
    const { bench, bash, asked } = await setUp(setting);
    const network = { network: 'allow-list', justification: 'install a package' };

    await bench.call('bash', { ...touch, ...network });
    await bench.call('bash', touch);

    expect(bash.specs.map(({ sandboxPolicy }) => sandboxPolicy)).toEqual([
      { mode: 'workspace-write', workspaceRoot: '/workspace', network: 'allow-list' },
      { mode: 'workspace-write', workspaceRoot: '/workspace' },
    ]);
    expect(asked.map(({ reason }) => reason)).toEqual(['open network allow-list: install a package']);
    expect(await bench.failure('bash', { ...touch, network: 'full', justification: 'x' })).toMatchObject({
      code: 'SANDBOX_ESCALATION_BOUND',
    });
  });

  it('N12 has no network field without a wider bound', async () => {
    const { bench, bash } = await setUp({ mode: 'workspace-write', outcome: 'allowed-once' });

    expect(fieldsOf(bench, 'bash')).not.toContain('network');
    expect(await bench.failure('bash', { ...touch, network: 'full', justification: 'x' })).toMatchObject({
      code: 'INVALID_ARGS',
    });
    expect(bash.specs).toEqual([]);
  });
});
