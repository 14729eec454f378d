import { describe, expect, it } from '@jest/globals';
import { containerOptions } from '../../src/docker/container-options.ts';
import type { ContainerPlan } from '../../src/docker/container-options.ts';
import { PROTOCOL } from '../../src/docker/agent/protocol.ts';
import { SANDBOX_LIMITS } from '../../src/docker/sandbox-options.ts';
import { weakerThanAsked } from '../../src/docker/weaker-than-asked.ts';

const plan: ContainerPlan = {
  image: 'sha256:1',
  mode: 'workspace-write',
  tree: '/data/tree',
  gitDir: '/data/git',
  spillDir: '/data/spill',
  labels: { session: 's', installation: 'i', boot: 'b' },
  limits: SANDBOX_LIMITS,
  uid: 1234,
  agentVolume: 'dsh-agent-1',
};

const hello = {
  type: 'hello' as const,
  call: 0 as const,
  protocol: PROTOCOL,
  uid: 1234,
  capabilities: '0000000000000000',
  noNewPrivileges: true,
  seccomp: 2,
  rootReadOnly: true,
  workspaceReadOnly: false,
  interfaces: [],
  egress: false,
  missing: [],
  entries: ['.git', 'a'],
};
const asked = { mode: plan.mode, uid: 1234, egress: false, entries: ['a'] };

describe('bot-security', () => {
  it('X2 N1 asks the engine for everything that confines', () => {
    const { User, Labels, Env, HostConfig } = containerOptions({ ...plan, runtime: 'runsc' });

    expect({ User, Labels, Env }).toEqual({
      User: '1234:1234',
      Labels: { 'dsh.session': 's', 'dsh.installation': 'i', 'dsh.boot': 'b', 'dsh.lifetime': '21600000' },
      Env: ['HOME=/tmp/home', 'LANG=C.UTF-8'],
    });
    expect(HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      PidsLimit: 512,
      Memory: 2 * 1024 ** 3,
      MemorySwap: 2 * 1024 ** 3,
      NanoCpus: 2e9,
      NetworkMode: 'none',
      IpcMode: 'private',
      Init: true,
      Runtime: 'runsc',
    });
    expect(HostConfig?.Mounts?.find(({ Target }) => Target === '/tmp')?.VolumeOptions?.DriverConfig.Options).toEqual({
      type: 'tmpfs',
      device: 'tmpfs',
      o: `size=${1024 ** 3},mode=1777,nosuid,nodev`,
    });
    for (const key of ['Binds', 'PidMode', 'UsernsMode', 'Privileged', 'CapAdd', 'Devices']) {
      expect(HostConfig).not.toHaveProperty(key);
    }
  });
});

describe('sandbox', () => {
  it.each([
    ['workspace-write', false],
    ['read-only', true],
  ] as const)('N2 mounts the work tree of %s with read-only %s, and everything else read-only', (mode, readOnly) => {
    const mounts = containerOptions({ ...plan, mode }).HostConfig!.Mounts!;

    expect(mounts.map(({ Type, Source, Target, ReadOnly }) => [Type, Source, Target, ReadOnly])).toEqual([
      ['bind', '/data/tree', '/workspace', readOnly],
      ['bind', '/data/git', '/workspace/.git', true],
      ['bind', '/data/spill', '/dsh/spill', true],
      ['volume', '', '/tmp', false],
      ['volume', 'dsh-agent-1', '/opt/dsh', true],
    ]);
  });

  it('N2 gives full access root, a root layer to write and five capabilities, in the container only', () => {
    const siblingOf = { owner: 1234, tmpVolume: 'tmp-1' };
    const { User, HostConfig } = containerOptions({ ...plan, mode: 'danger-full-access', uid: 0, siblingOf });

    expect(User).toBe('0:0');
    expect(HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID'],
      ReadonlyRootfs: false,
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      PidsLimit: 512,
    });
    expect(HostConfig!.Mounts!.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly])).toEqual([
      ['/data/tree', '/workspace', false],
      ['/data/git', '/workspace/.git', true],
      ['/data/spill', '/dsh/spill', true],
      ['tmp-1', '/tmp', false],
      ['dsh-agent-1', '/opt/dsh', true],
    ]);
    for (const key of ['Privileged', 'Devices', 'PidMode', 'Binds']) expect(HostConfig).not.toHaveProperty(key);
  });

  it('N3 takes for full access what it is to have, and no more', () => {
    const full = { ...hello, uid: 0, rootReadOnly: false, capabilities: '00000000000000cb' };
    const wanted = { ...asked, mode: 'danger-full-access', uid: 0 } as const;

    expect(weakerThanAsked(full, wanted)).toEqual([]);
    expect(weakerThanAsked({ ...full, capabilities: '00000000000000db' }, wanted).join()).toContain('capabilities');
    expect(weakerThanAsked({ ...full, capabilities: 'unknown' }, wanted).join()).toContain('capabilities');
  });

  it('N3 takes a container that is what was asked for', () => {
    expect(weakerThanAsked(hello, asked)).toEqual([]);
    expect(weakerThanAsked({ ...hello, seccomp: 0 }, { ...asked, runtime: 'runsc' })).toEqual([]);
  });

  it.each([
    ['user', { uid: 0 }],
    ['capabilities', { capabilities: '0000000000000001' }],
    ['privileges', { noNewPrivileges: false }],
    ['filtered', { seccomp: 0 }],
    ['root file system', { rootReadOnly: false }],
    ['another mode', { workspaceReadOnly: true }],
    ['network', { interfaces: ['eth0'] }],
    ['way to the network', { egress: true }],
    ['bash', { missing: ['bash'] }],
    ['work tree of this machine', { entries: ['b'] }],
    ['protocol', { protocol: 99 }],
  ])('N3 refuses one that is weaker or other than asked: %s', (word, change) => {
    expect(weakerThanAsked({ ...hello, ...change }, asked).join()).toContain(word);
  });
});
