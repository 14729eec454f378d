import type Docker from 'dockerode';
import { removeContainer } from './remove-container.ts';
import type { StartedContainer } from './start-container.ts';

export interface WatchedContainer extends StartedContainer {
  /** Settles when the engine has it no more. */
  removed: Promise<void>;
}

/** A lost agent's container may still run what it was told, so it is removed at once. */
export function watchContainer(docker: Docker, container: StartedContainer): WatchedContainer {
  const removed = container.agent.lost.then(() => removeContainer(docker.getContainer(container.id)));
  removed.catch(() => {});
  return { ...container, removed };
}
