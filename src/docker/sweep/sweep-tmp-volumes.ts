import type Docker from 'dockerode';
import { isLeftOver } from './sweep-containers.ts';
import { removeVolumes, unusedVolumes } from './unused-volumes.ts';

/**
 * Removes what containers of dead workers had as `/tmp`: the engine takes it away with its container, but not while a
 * sibling that ends at the same moment still has it. Answers how many.
 */
export async function sweepTmpVolumes(docker: Docker, now: Date): Promise<number> {
  const unused = await unusedVolumes(docker, ['dsh.session', 'dsh.boot']);
  const left = unused.filter(({ labels, createdMs }) =>
    isLeftOver({ Labels: labels, State: 'unused', Created: createdMs / 1_000 }, now),
  );
  return removeVolumes(docker, left);
}
