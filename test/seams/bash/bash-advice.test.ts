import { describe, expect, it } from '@jest/globals';
import type { BashToolConfig } from '../../../src/seams/bash/bash-setup.ts';
import { bashTool } from '../../../src/seams/bash/bash-tool.ts';
import { bashDescription } from '../../../src/seams/bash/bash-texts.ts';
import { SandboxPolicyService } from '../../../src/seams/sandbox/sandbox-policy.ts';
import type { SandboxMode } from '../../../src/seams/sandbox/types.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import type { MemoryCommand } from '../../support/memory-bash.ts';
import { createToolBench } from '../tool-bench.ts';

async function textOf(
  command: MemoryCommand,
  config: BashToolConfig = {},
  kin = '',
  mode?: SandboxMode,
): Promise<string> {
  const bench = await createToolBench();
  const probes = { stdout: kin };
  const scripts = new Proxy({ it: command } as Record<string, MemoryCommand>, {
    getOwnPropertyDescriptor: (table, key) =>
      Reflect.getOwnPropertyDescriptor(table, key) ?? { value: probes, configurable: true, enumerable: true },
    get: (table, key) => table[String(key)] ?? probes,
  });
  bench.ctx.provide('bash', new MemoryBash(scripts, { ...(mode && { mode }) }));
  bench.ctx.provide('sandboxPolicy', new SandboxPolicyService({ mode: mode ?? 'read-only', workspaceRoot: '/' }));
  await bench.ctx.plugin(bashTool, config);
  return bench.text('bash', { command: 'it', description: 'test' });
}

describe('prompts', () => {
  it.each<[string, MemoryCommand, RegExp]>([
    [
      'no network',
      { exitCode: 6, stderr: 'curl: (6) Could not resolve host: example.org\n' },
      /no network; this is policy.*will not help.*use what/,
    ],
    [
      'no network in npm',
      { exitCode: 1, stderr: 'npm error getaddrinfo EAI_AGAIN registry\n' },
      /no network; this is policy/,
    ],
    [
      'a refusal by the proxy',
      { exitCode: 128, stderr: "fatal: unable to access 'https://x.example/': CONNECT tunnel failed, response 403\n" },
      /no network; this is policy/,
    ],
    [
      'a refusal by the proxy in npm',
      { exitCode: 1, stderr: 'npm error 403 403 Refused by the sandbox: not on the list - GET https://x.example/p\n' },
      /no network; this is policy/,
    ],
    [
      'no right',
      { exitCode: 1, stderr: 'chown: changing ownership: Operation not permitted\n' },
      /without special rights; this is policy/,
    ],
    ['a denied write', { exitCode: 1, stderr: 'Read-only file system\n', denied: true }, /this is policy.*below \/tmp/],
  ])('PR28 names the next step after %s', async (_what, command, hint) => {
    const text = await textOf(command);

    expect(text.split('\n').at(-2)).toMatch(/^\[hint: .*\]$/);
    expect(text.split('\n').at(-2)).toMatch(hint);
    expect(text.split('\n').at(-1)).toBe(`[exit code: ${command.exitCode}]`);
  });

  it('PR28 names programs of the same kind for one that is missing', async () => {
    const missing = { exitCode: 127, stderr: 'bash: line 1: python: command not found\n' };

    expect(await textOf(missing, {}, 'python3\nevil; rm\n')).toMatch(
      /\[hint: python is not in this container and without network nothing can be installed; of its kind there is python3\]/,
    );
    expect(await textOf(missing, {}, '')).toContain('nothing of its kind is here');
  });

  it('PR28 offers the background after a timeout only where there is one', async () => {
    const bench = await createToolBench();
    bench.ctx.provide('bash', new MemoryBash({ it: { durationMs: 60_000 } }));
    await bench.ctx.plugin(bashTool);

    const text = await bench.text('bash', { command: 'it', description: 'test', timeoutMs: 20 });

    expect(text).toMatch(
      /the limit was 20 ms; run less, or raise timeoutMs \(at most 600000\), or use run_in_background/,
    );
  });

  it.each<[string, MemoryCommand]>([
    ['success that speaks of networks', { stdout: 'network is unreachable\n' }],
    ['an ordinary failure', { exitCode: 1, stdout: '2 tests failed\n' }],
    ['a script without the exec bit', { exitCode: 126, stderr: 'bash: ./x: Permission denied\n' }],
  ])('PR28 adds nothing to %s', async (_what, command) => {
    expect(await textOf(command)).not.toContain('[hint:');
  });

  it('PR29 shows at most 16 KiB of both streams and stores the rest', async () => {
    const bench = await createToolBench();
    const saved: { content: string; suggestedName: string }[] = [];
    const stdout = 'out line\n'.repeat(5_000);
    const stderr = 'error line\n'.repeat(5_000);
    bench.ctx.provide('bash', new MemoryBash({ it: { stdout, stderr, exitCode: 1 } }));
    bench.ctx.provide('spillStore', {
      saveText: async (input: { content: string; suggestedName: string }) => {
        saved.push(input);
        return { locator: `/dsh/spill/${saved.length}`, bytes: 0, retrievalHint: 'Open it with read.' };
      },
    } as never);
    await bench.ctx.plugin(bashTool);

    const text = await bench.text('bash', { command: 'it', description: 'test' });

    expect(Buffer.byteLength(text)).toBeLessThan(16 * 1024 + 400);
    expect(text).toMatch(
      /omitted[\s\S]*\[output truncated; full output: \/dsh\/spill\/1\]\n\[stderr\]\n[\s\S]*\/spill\/2\]\n\[exit code: 1\]$/,
    );
    expect(saved.map(({ content }) => content)).toEqual([stdout, stderr]);
  });

  it('PR29 names the spill file of the executor and none where nothing keeps the rest', async () => {
    const long = 'out line\n'.repeat(5_000);

    expect(await textOf({ stdout: long.repeat(3), spillPath: '/dsh/spill/x' })).toContain('full output: /dsh/spill/x]');
    expect(await textOf({ stdout: long })).toContain('full output: (unavailable)]');
  });

  const facts = {
    treeIsReadOnly: false,
    network: 'none' as const,
    networkBound: 'none' as const,
    timeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    maxOutputBytes: 16_384,
    background: true,
  };

  it.each([
    'fresh shell',
    'workdir instead of cd',
    'stdin is closed',
    'no network',
    'git only reads',
    '120000',
    '600000',
    'head and tail',
    'exit code',
    'read, ',
    'grep',
    'glob',
  ])('PR23 says in the description: %s', (said) => {
    expect(bashDescription(facts)).toContain(said);
  });

  it('PR23 PR22 tells a read-only job where it can write, within its budget', () => {
    expect(bashDescription(facts)).not.toContain('/tmp');
    expect(bashDescription({ ...facts, treeIsReadOnly: true })).toContain('below /tmp');
    for (const network of ['none', 'allow-list', 'full'] as const) {
      const widest = { ...facts, treeIsReadOnly: true, network, networkBound: 'full' as const };
      expect(bashDescription(widest).length / 4).toBeLessThanOrEqual(350);
    }
  });

  it('PR23 says that the network can be opened only where it can', () => {
    const opened = /There is no network: .* `network` opens more for one call, if a person agrees/;

    expect(bashDescription({ ...facts, networkBound: 'allow-list' })).toMatch(opened);
    expect(bashDescription(facts)).not.toContain('`network`');
    expect(bashDescription({ ...facts, network: 'full', networkBound: 'full' })).not.toContain('`network`');
  });

  it.each<[string, MemoryCommand, RegExp]>([
    [
      'the network',
      { exitCode: 6, stderr: 'curl: (6) Could not resolve host: example.org\n' },
      /there is no network; if more is needed, retry this exact command once with network and justification/,
    ],
    [
      'rights',
      { exitCode: 1, stderr: 'chown: changing ownership: Operation not permitted\n' },
      /if they are needed, retry this exact command once with sandbox_permissions danger-full-access/,
    ],
  ])('PR28 names the question as the next step where a person can be asked for %s', async (_what, command, hint) => {
    const text = await textOf(command, { networkBound: 'full' }, '', 'workspace-write');

    expect(text.split('\n').at(-2)).toMatch(hint);
    expect(text).not.toContain('this is policy');
  });

  it('PR28 asks for nothing wider than full access', async () => {
    const command = { exitCode: 1, stderr: 'mount: Operation not permitted\n' };

    const text = await textOf(command, {}, '', 'danger-full-access');

    expect(text).toContain('the container has no further rights; this is policy');
  });
});
