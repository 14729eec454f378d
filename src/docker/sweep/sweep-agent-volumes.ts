import type Docker from 'dockerode';
import { AGENT_LABEL, agentVolumeName } from '../agent-volume.ts';
import type { EngineFacts } from '../engine.ts';
import { removeContainer } from '../remove-container.ts';
import { removeVolumes, unusedVolumes } from './unused-volumes.ts';

/** Filling one takes a second; who was killed meanwhile has left the container of it. */
const OLD_MS = 3_600_000;

interface VolumeSweep {
  readonly docker: Docker;
  readonly engine: EngineFacts;
  readonly now: Date;
}

/** Removes volumes of other agent versions, or for other engines, that no container has. Answers how many. */
export async function sweepAgentVolumes({ docker, engine, now }: VolumeSweep): Promise<number> {
  const fillers = await docker.listContainers({ all: true, filters: { label: [AGENT_LABEL] } });
  const old = fillers.filter(({ Created }) => isOld(Created * 1_000, now));
  await Promise.all(old.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  const unused = (await unusedVolumes(docker, [AGENT_LABEL])).filter(({ createdMs }) => isOld(createdMs, now));
  if (unused.length === 0) return 0;
  const current = await agentVolumeName(engine);
  return removeVolumes(
    docker,
    unused.filter(({ name }) => name !== current),
  );
}

function isOld(createdMs: number, now: Date): boolean {
  return now.getTime() - createdMs > OLD_MS;
}
