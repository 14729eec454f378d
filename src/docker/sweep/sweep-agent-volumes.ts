import type Docker from 'dockerode';
import { AGENT_LABEL, agentVolumeName } from '../agent-volume.ts';
import { statusOf } from '../engine.ts';
import type { EngineFacts } from '../engine.ts';
import { removeContainer } from '../remove-container.ts';

/** Filling one takes a second; who was killed meanwhile has left the container of it. */
const OLD_MS = 3_600_000;
const GONE = 404;
const IN_USE = 409;

interface VolumeSweep {
  readonly docker: Docker;
  readonly engine: EngineFacts;
  readonly now: Date;
}

/** Removes volumes of other agent versions, or for other engines, that no container has. Answers how many. */
export async function sweepAgentVolumes({ docker, engine, now }: VolumeSweep): Promise<number> {
  const label = [AGENT_LABEL];
  const fillers = await docker.listContainers({ all: true, filters: { label } });
  const old = fillers.filter(({ Created }) => isOld(Created * 1_000, now));
  await Promise.all(old.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  const { Volumes } = await docker.listVolumes({ filters: { label, dangling: ['true'] } });
  const unused = (Volumes ?? []).filter((volume) => isOld(createdAt(volume), now));
  if (unused.length === 0) return 0;
  const current = await agentVolumeName(engine);
  const others = unused.filter(({ Name }) => Name !== current);
  const removed = await Promise.all(others.map(({ Name }) => removeUnused(docker.getVolume(Name))));
  return removed.filter(Boolean).length;
}

function isOld(createdMs: number, now: Date): boolean {
  return now.getTime() - createdMs > OLD_MS;
}

/** The engine tells it, but its client's types do not. */
function createdAt(volume: object): number {
  return Date.parse((volume as { CreatedAt?: string }).CreatedAt ?? '') || 0;
}

/** Somebody may take it into use, or remove it, at the same moment. */
async function removeUnused(volume: Docker.Volume): Promise<boolean> {
  try {
    await volume.remove();
    return true;
  } catch (cause) {
    if (![GONE, IN_USE].includes(statusOf(cause) ?? 0)) throw cause;
    return false;
  }
}
