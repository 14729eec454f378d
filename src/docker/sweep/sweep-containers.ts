import type Docker from 'dockerode';
import { removeContainer } from '../remove-container.ts';
import { workerState } from './worker-boot.ts';

/** Beyond its wall limit a container had this long to end, and its engine to remove it. */
const MARGIN_MS = 10 * 60_000;
/** Never starts again. */
const STOPPED = ['exited', 'dead'];

/** Removes the containers of dead workers, found by label and not by name. Answers how many. */
export async function sweepContainers(docker: Docker, now: Date): Promise<number> {
  const found = await docker.listContainers({ all: true, filters: { label: ['dsh.session', 'dsh.boot'] } });
  const left = found.filter((container) => isLeftOver(container, now));
  await Promise.all(left.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  return left.length;
}

/**
 * Removes all containers of a session that work below the data directory: another deployment at this engine may have one
 * of the same name. Only for who holds the session: a worker that lost it must not go on either.
 */
export async function removeContainersOf(docker: Docker, session: string, dataDir: string): Promise<void> {
  const found = await docker.listContainers({ all: true, filters: { label: [`dsh.session=${session}`] } });
  const ours = found.filter(({ Mounts }) => Mounts.some(({ Source }) => Source?.startsWith(`${dataDir}/`)));
  await Promise.all(ours.map(({ Id }) => removeContainer(docker.getContainer(Id))));
}

type Facts = Pick<Docker.ContainerInfo, 'Labels' | 'State' | 'Created'>;

/** Where nothing is known of the worker, a container tells by itself whether it can still be at work. Pure but for the question. */
export function isLeftOver({ Labels, State, Created }: Facts, now: Date): boolean {
  switch (workerState(Labels['dsh.boot'] ?? '')) {
    case 'alive':
      return false;
    case 'dead':
      return true;
    case 'unknown':
      return STOPPED.includes(State) || isPast(Created * 1_000, Number(Labels['dsh.lifetime']), now);
  }
}

function isPast(createdMs: number, lifetimeMs: number, now: Date): boolean {
  return lifetimeMs > 0 && now.getTime() > createdMs + lifetimeMs + MARGIN_MS;
}
