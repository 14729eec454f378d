import type Docker from 'dockerode';
import { statusOf } from '../engine.ts';

const GONE = 404;
const IN_USE = 409;

export interface UnusedVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdMs: number;
}

/** Volumes with these labels that no container has. */
export async function unusedVolumes(docker: Docker, label: readonly string[]): Promise<UnusedVolume[]> {
  const { Volumes } = await docker.listVolumes({ filters: { label: [...label], dangling: ['true'] } });
  return (Volumes ?? []).map((volume) => ({
    name: volume.Name,
    labels: volume.Labels,
    createdMs: createdAt(volume),
  }));
}

/** Answers how many it has removed: somebody may take one into use, or remove it, at the same moment. */
export async function removeVolumes(docker: Docker, volumes: readonly UnusedVolume[]): Promise<number> {
  const removed = await Promise.all(volumes.map(({ name }) => removeUnused(docker.getVolume(name))));
  return removed.filter(Boolean).length;
}

async function removeUnused(volume: Docker.Volume): Promise<boolean> {
  try {
    await volume.remove();
    return true;
  } catch (cause) {
    if (![GONE, IN_USE].includes(statusOf(cause) ?? 0)) throw cause;
    return false;
  }
}

/** The engine tells it, but its client's types do not. */
function createdAt(volume: object): number {
  return Date.parse((volume as { CreatedAt?: string }).CreatedAt ?? '') || 0;
}
