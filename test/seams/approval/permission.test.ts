import { describe, expect, it } from '@jest/globals';
import { approval } from '../../../src/seams/approval/approval.ts';
import { setApprovalPolicy } from '../../../src/seams/approval/approval-policy.ts';
import {
  effectivePermissionPreset,
  permission,
  PermissionService,
} from '../../../src/seams/approval/permission-service.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { createToolBench } from '../tool-bench.ts';
import type { ToolBench } from '../tool-bench.ts';

async function permissionBench(options: { confines?: boolean; presets?: object } = {}): Promise<ToolBench> {
  const b = await createToolBench();
  b.ctx.provide('bash', new MemoryBash({}, options.confines === false ? {} : { mode: 'workspace-write' }));
  await b.ctx.plugin(sandboxPolicyPlugin, { mode: 'workspace-write', workspaceRoot: '/workspace' });
  await b.ctx.plugin(approval, undefined);
  await b.ctx.plugin(permission, options.presets ? { presets: options.presets as never } : undefined);
  return b;
}
const loggedOf = ({ agent }: ToolBench) =>
  agent.session.events
    .filter(({ type }) => type !== 'turn/start')
    .map(({ type, data }) => [type, ...Object.values(data)]);

describe('approval', () => {
  it('B17 a preset is recorded before its knobs, and only what differs is written', async () => {
    const b = await permissionBench();
    const { session } = b.agent;

    b.ctx.permission.set(session, 'workspace-write');
    expect(loggedOf(b)).toEqual([]);

    b.ctx.permission.set(session, 'danger-full-access');
    b.ctx.permission.set(session, 'danger-full-access');
    expect(loggedOf(b)).toEqual([
      ['permission/preset', 'danger-full-access'],
      ['sandbox/mode', 'danger-full-access'],
      ['approval/policy', 'never'],
    ]);

    setApprovalPolicy(session, 'ask');
    b.ctx.permission.set(session, 'danger-full-access');
    expect(loggedOf(b).slice(4)).toEqual([
      ['permission/preset', 'danger-full-access'],
      ['approval/policy', 'never'],
    ]);
    expect(() => b.ctx.permission.set(session, 'god-mode')).toThrow(
      expect.objectContaining({ code: 'PERMISSION_PRESET_UNKNOWN' }) as unknown as Error,
    );
  });

  it('B18 current is the recorded preset while it fits, else the first that does, else custom', async () => {
    const b = await permissionBench({
      presets: {
        first: { sandbox: 'workspace-write', approval: 'ask', name: 'First', description: 'the usual' },
        twin: { sandbox: 'workspace-write', approval: 'ask' },
      },
    });
    const { session } = b.agent;
    const { permission: service } = b.ctx;
    expect(service.names).toEqual(['first', 'twin']);
    expect(service.current(session.events)).toBe('first');

    setApprovalPolicy(session, 'never');
    expect(service.current(session.events)).toBe('custom');

    service.set(session, 'twin');
    expect([effectivePermissionPreset(session.events), service.current(session.events)]).toEqual(['twin', 'twin']);

    setSandboxMode(session, 'read-only');
    expect(service.current(session.events)).toBe('custom');
    expect(service.optionOf('first')).toEqual({ value: 'first', name: 'First', description: 'the usual' });
    expect(service.optionOf('custom')).toEqual({ value: 'custom', name: 'Custom' });
    expect(() => service.set(session, 'custom')).toThrow(
      expect.objectContaining({ code: 'PERMISSION_PRESET_UNKNOWN' }) as unknown as Error,
    );
    const table = { custom: { sandbox: 'read-only', approval: 'ask' } } as const;
    expect(() => new PermissionService(b.ctx, table)).toThrow(
      expect.objectContaining({ code: 'PERMISSION_PRESETS_INVALID' }) as unknown as Error,
    );
  });

  it('B19 presets refuse to load over a bash that confines nothing', async () => {
    await expect(permissionBench({ confines: false })).rejects.toMatchObject({ code: 'PERMISSION_NOT_CONFINED' });
  });
});
