import type Docker from 'dockerode';
import { removeContainer } from './remove-container.ts';
import type { SandboxLabels } from './sandbox-options.ts';

/**
 * Removes the containers of an installation that nobody uses any more, found by label and not by name. `isInUse`
 * knows which sessions are worked by which living worker. Answers how many were removed.
 */
export async function sweepSandboxes(
  docker: Docker,
  installation: string,
  isInUse: (labels: SandboxLabels) => boolean,
): Promise<number> {
  const filters = { label: [`dsh.installation=${installation}`] };
  const found = await docker.listContainers({ all: true, filters });
  const left = found.filter(({ Labels }) => !isInUse(labelsOf(Labels, installation)));
  await Promise.all(left.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  return left.length;
}

function labelsOf(labels: Record<string, string>, installation: string): SandboxLabels {
  return { session: labels['dsh.session'] ?? '', installation, boot: labels['dsh.boot'] ?? '' };
}
