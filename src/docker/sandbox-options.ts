import type Docker from 'dockerode';
import type { ConfinedSandboxMode, SandboxMode } from '../seams/sandbox/types.ts';
import type { EgressOptions } from './egress/open-egress.ts';

export type SandboxRuntime = 'runc' | 'runsc' | 'kata';

export interface SandboxLimits {
  memoryBytes: number;
  cpus: number;
  processes: number;
  tmpBytes: number;
  /** From asking the engine to the agent's first word. */
  startMs: number;
  /** Hard end of a container, whatever it does. */
  lifetimeMs: number;
  /** An agent that is asked and says nothing for so long is lost. */
  silenceMs: number;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpus: 2,
  processes: 512,
  tmpBytes: 1024 ** 3,
  startMs: 60_000,
  lifetimeMs: 6 * 3_600_000,
  silenceMs: 30_000,
};

export interface SandboxOptions {
  docker: Docker;
  image: string;
  runtime?: SandboxRuntime;
  mode: ConfinedSandboxMode;
  /** Host path of the session's work tree. */
  tree: string;
  /** Host path of its git directory; read-only inside. */
  gitDir?: string;
  /** Host path of the session's spill directory; read-only inside. */
  spillDir?: string;
  /** The way out, opened and closed with the sandbox. Without it there is no network. */
  egress?: EgressOptions;
  /** What a wider way out for one call is made of. Without it none can be had. */
  callEgress?: CallEgress;
  labels: SandboxLabels;
  limits?: Partial<SandboxLimits>;
}

/** A way out whose `network` each call brings along; `hosts` are those of the list. */
export interface CallEgress extends Omit<EgressOptions, 'policy'> {
  hosts: readonly string[];
}

/** What one container is made from. */
export interface ContainerSettings extends Omit<SandboxOptions, 'egress' | 'mode'> {
  mode: SandboxMode;
  /** What a sibling shares with the session's own container. */
  siblingOf?: { owner: number; tmpVolume: string };
  /** Host folder with the socket of the network proxy; the container itself has no network either way. */
  egressDir?: string;
}

/** By these a sweep finds what a dead worker left. `boot` names one life of a worker. */
export interface SandboxLabels {
  session: string;
  installation: string;
  boot: string;
}
