import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { effectiveSandboxMode, setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { sandboxPolicyPlugin, SandboxPolicyService } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { writableRoots } from '../../../src/seams/sandbox/writable-roots.ts';
import { ToolBench } from '../tool-bench.ts';

const sessionAt = (cwd: string) => new ToolBench(new Context()).newAgent('s', cwd).session;

describe('sandbox', () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'dsh-policy-')));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('B1 takes the approved mode before the session, and the session before the default', () => {
    const policies = new SandboxPolicyService({ mode: 'read-only', workspaceRoot: root });
    const session = sessionAt(root);
    expect(policies.resolve({ session }).mode).toBe('read-only');

    setSandboxMode(session, 'danger-full-access');
    setSandboxMode(session, 'workspace-write');

    expect(policies.resolve({ session }).mode).toBe('workspace-write');
    expect(policies.resolve({ session, mode: 'danger-full-access' }).mode).toBe('danger-full-access');
    expect(policies.resolve().mode).toBe('read-only');
  });

  it('B1 takes the root of the session, else the configured one', async () => {
    await mkdir(join(root, 'own'));
    const policies = new SandboxPolicyService({ workspaceRoot: root });

    expect(policies.resolve({ session: sessionAt(join(root, 'own')) }).workspaceRoot).toBe(join(root, 'own'));
    expect(policies.resolve().workspaceRoot).toBe(root);
  });

  it('B2 follows links before it goes up', async () => {
    await mkdir(join(root, 'far', 'away'), { recursive: true });
    await symlink(join(root, 'far', 'away'), join(root, 'link'));

    const policies = new SandboxPolicyService({ workspaceRoot: `${root}/link/..` });

    expect(policies.workspaceRoot).toBe(join(root, 'far'));
    expect(() => new SandboxPolicyService({ workspaceRoot: 'relative' })).toThrow(/absolute/);
  });

  it('B2 resolves in the file system the root belongs to', () => {
    const policies = new SandboxPolicyService({ workspaceRoot: '/a', canonicalize: (path) => `/container${path}` });

    expect(policies.resolve({ session: sessionAt('/b') }).workspaceRoot).toBe('/container/b');
  });

  it('B3 changes only the mode by an approval', () => {
    const policies = new SandboxPolicyService({ workspaceRoot: root });
    const session = sessionAt(root);

    const [plain, approved] = [policies.resolve({ session }), policies.resolve({ session, mode: 'workspace-write' })];

    expect(approved).toEqual({ ...plain, mode: 'workspace-write' });
  });

  it('B18 switches a mode for the next call and refuses what is none', () => {
    const session = sessionAt(root);
    const policies = new SandboxPolicyService({ workspaceRoot: root });
    const before = policies.resolve({ session });
    setSandboxMode(session, 'workspace-write');
    const length = session.events.length;

    expect(() => setSandboxMode(session, 'wide-open' as never)).toThrow(/not a sandbox mode/);

    expect(session.events).toHaveLength(length);
    expect(effectiveSandboxMode(session.events)).toBe('workspace-write');
    expect([before.mode, policies.resolve({ session }).mode]).toEqual(['read-only', 'workspace-write']);
  });

  it('B18 refuses a configured mode outside the vocabulary at load', async () => {
    const ctx = new Context();

    await expect(ctx.plugin(sandboxPolicyPlugin, { mode: 'none' as never })).rejects.toThrow(/not a sandbox mode/);

    expect(ctx.get('sandboxPolicy')).toBeUndefined();
  });

  it('B1 lets a confined call write nowhere, or in its root and the temporary area', () => {
    expect(writableRoots({ mode: 'read-only', workspaceRoot: root })).toEqual([]);
    expect(writableRoots({ mode: 'workspace-write', workspaceRoot: root })).toEqual(
      expect.arrayContaining([root, '/tmp']),
    );
  });
});
