import type Docker from 'dockerode';
import { checkEngine } from '../engine.ts';
import { sweepAgentVolumes } from './sweep-agent-volumes.ts';
import { sweepContainers } from './sweep-containers.ts';
import { sweepDrafts } from './sweep-drafts.ts';
import { sweepSockets } from './sweep-sockets.ts';
import { sweepTmpVolumes } from './sweep-tmp-volumes.ts';

export interface SweepParts {
  readonly docker: Docker;
  /** Where sockets of network proxies are made, one folder each. */
  readonly socketFolder: string;
  /** Where setup works and keeps its results. */
  readonly setupFolder: string;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
}

/** How many of each were removed. */
export interface Swept {
  readonly containers: number;
  readonly volumes: number;
  readonly sockets: number;
  readonly drafts: number;
}

/**
 * Takes away what dead workers left: containers, their volumes, those of other agent versions, sockets, unfinished
 * setups. For the start of a host, beside its work: it spares whatever is not proven to be dead, so any number of
 * workers may share engine and folders. Never rejects: what could not be swept is logged, and swept another time. Of an
 * engine that does not answer nothing is told: who needs it does that.
 */
export async function sweepLeftovers({ docker, socketFolder, setupFolder, now, log }: SweepParts): Promise<Swept> {
  const tried = (what: string, work: Promise<number>) =>
    work.catch((error: unknown) => {
      log(`left-over ${what} could not be removed`, error);
      return 0;
    });
  const [engine, sockets, drafts] = await Promise.all([
    checkEngine(docker).catch(() => undefined),
    tried('sockets', sweepSockets(socketFolder, now())),
    tried('setup folders', sweepDrafts(setupFolder, now())),
  ]);
  if (!engine) return { containers: 0, volumes: 0, sockets, drafts };
  const containers = await tried('containers', sweepContainers(docker, now()));
  const ofAgents = await tried('volumes', sweepAgentVolumes({ docker, engine, now: now() }));
  const ofContainers = await tried('volumes', sweepTmpVolumes(docker, now()));
  return { containers, volumes: ofAgents + ofContainers, sockets, drafts };
}
