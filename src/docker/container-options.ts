import type Docker from 'dockerode';
import { EGRESS_FOLDER, TMP_FOLDER, WORKSPACE } from './agent/protocol.ts';
import { AGENT_FOLDER, AGENT_NODE, AGENT_SCRIPT } from './agent-volume.ts';
import type { ContainerSettings, SandboxLimits } from './sandbox-options.ts';

export const SPILL_FOLDER = '/dsh/spill';
export const HOME_FOLDER = '/tmp/home';
const CPU_UNIT = 1e9;

/** What the in-container root of full access keeps: without these it could not even write the tree. */
export const FULL_ACCESS_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID'];

export interface ContainerPlan extends Omit<ContainerSettings, 'docker' | 'limits'> {
  limits: SandboxLimits;
  uid: number;
  agentVolume: string;
}

/** What the engine is asked for: everything confining that it has, and nothing that is not needed. Pure. */
export function containerOptions(plan: ContainerPlan): Docker.ContainerCreateOptions {
  const { image, limits, uid, runtime } = plan;
  const hasFullAccess = plan.mode === 'danger-full-access';
  return {
    Image: image,
    Entrypoint: [AGENT_NODE, AGENT_SCRIPT, String(limits.lifetimeMs)],
    Cmd: [],
    User: `${uid}:${uid}`,
    WorkingDir: '/',
    Env: [`HOME=${HOME_FOLDER}`, 'LANG=C.UTF-8'],
    Labels: labelsOf(plan),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    NetworkDisabled: true,
    HostConfig: {
      AutoRemove: true,
      CapDrop: ['ALL'],
      ...(hasFullAccess && { CapAdd: FULL_ACCESS_CAPABILITIES }),
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: !hasFullAccess,
      PidsLimit: limits.processes,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: limits.cpus * CPU_UNIT,
      NetworkMode: 'none',
      IpcMode: 'private',
      Init: true,
      LogConfig: { Type: 'none', Config: {} },
      Mounts: mountsOf(plan),
      ...(runtime && { Runtime: runtime }),
    },
  };
}

/** By these a sweep finds container and volume, and tells whether they can still be in use. */
function labelsOf({ labels, limits }: ContainerPlan): Record<string, string> {
  return {
    'dsh.session': labels.session,
    'dsh.installation': labels.installation,
    'dsh.boot': labels.boot,
    'dsh.lifetime': String(limits.lifetimeMs),
  };
}

function mountsOf(plan: ContainerPlan): Docker.MountConfig {
  const { tree, gitDir, spillDir, egressDir, mode, agentVolume } = plan;
  const readOnly = (source: string, target: string) => bind(source, target, true);
  return [
    bind(tree, WORKSPACE, mode === 'read-only'),
    ...(gitDir === undefined ? [] : [readOnly(gitDir, `${WORKSPACE}/.git`)]),
    ...(spillDir === undefined ? [] : [readOnly(spillDir, SPILL_FOLDER)]),
    ...(egressDir === undefined ? [] : [readOnly(egressDir, EGRESS_FOLDER)]),
    tmpMount(plan),
    { Type: 'volume', Source: agentVolume, Target: AGENT_FOLDER, ReadOnly: true },
  ];
}

/** Memory and no disk, lost with the last container that has it. Without a name the engine removes it with its container. */
function tmpMount(plan: ContainerPlan): Docker.MountSettings {
  const { siblingOf, limits } = plan;
  const type = { Type: 'volume', Target: TMP_FOLDER, ReadOnly: false } as const;
  if (siblingOf) return { ...type, Source: siblingOf.tmpVolume, VolumeOptions: { ...NO_COPY, DriverConfig: LOCAL } };
  const options = { type: 'tmpfs', device: 'tmpfs', o: `size=${limits.tmpBytes},mode=1777,nosuid,nodev` };
  const driver = { ...LOCAL, Options: options };
  return { ...type, Source: '', VolumeOptions: { NoCopy: true, Labels: labelsOf(plan), DriverConfig: driver } };
}

const NO_COPY = { NoCopy: true, Labels: {} };
const LOCAL = { Name: 'local', Options: {} };

function bind(source: string, target: string, readOnly: boolean): Docker.MountSettings {
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions: { Propagation: 'rprivate' } };
}
