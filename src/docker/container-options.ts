import type Docker from 'dockerode';
import { EGRESS_FOLDER, WORKSPACE } from './agent/protocol.ts';
import { AGENT_FOLDER, AGENT_NODE, AGENT_SCRIPT } from './agent-volume.ts';
import type { ContainerSettings, SandboxLimits } from './sandbox-options.ts';

export const SPILL_FOLDER = '/dsh/spill';
export const HOME_FOLDER = '/tmp/home';
const CPU_UNIT = 1e9;

export interface ContainerPlan extends Omit<ContainerSettings, 'docker' | 'limits'> {
  limits: SandboxLimits;
  uid: number;
  agentVolume: string;
}

/** What the engine is asked for: everything confining that it has, and nothing that is not needed. Pure. */
export function containerOptions(plan: ContainerPlan): Docker.ContainerCreateOptions {
  const { image, labels, limits, uid, runtime } = plan;
  return {
    Image: image,
    Entrypoint: [AGENT_NODE, AGENT_SCRIPT, String(limits.lifetimeMs)],
    Cmd: [],
    User: `${uid}:${uid}`,
    WorkingDir: '/',
    Env: [`HOME=${HOME_FOLDER}`, 'LANG=C.UTF-8'],
    Labels: { 'dsh.session': labels.session, 'dsh.installation': labels.installation, 'dsh.boot': labels.boot },
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
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${limits.tmpBytes}` },
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

function mountsOf({ tree, gitDir, spillDir, egressDir, mode, agentVolume }: ContainerPlan): Docker.MountConfig {
  const readOnly = (source: string, target: string) => bind(source, target, true);
  return [
    bind(tree, WORKSPACE, mode === 'read-only'),
    ...(gitDir === undefined ? [] : [readOnly(gitDir, `${WORKSPACE}/.git`)]),
    ...(spillDir === undefined ? [] : [readOnly(spillDir, SPILL_FOLDER)]),
    ...(egressDir === undefined ? [] : [readOnly(egressDir, EGRESS_FOLDER)]),
    { Type: 'volume', Source: agentVolume, Target: AGENT_FOLDER, ReadOnly: true },
  ];
}

function bind(source: string, target: string, readOnly: boolean): Docker.MountSettings {
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions: { Propagation: 'rprivate' } };
}
