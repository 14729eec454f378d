import type Docker from 'dockerode';
import { statusOf } from './engine.ts';

const GONE = 404;
const BEING_REMOVED = 409;

/** Ends a container and everything in it. It may be gone already, or on its way. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (cause) {
    if (statusOf(cause) === GONE) return;
    if (statusOf(cause) !== BEING_REMOVED) throw cause;
    await container.wait({ condition: 'removed' }).catch((error: unknown) => {
      if (statusOf(error) !== GONE) throw error;
    });
  }
}
