import type { Hub } from './hub.ts';

/** The storage that downloads are redirected to: it asks for no token, as GitHub's signed links do not. */
export function storedFile(hub: Hub, path: string): Buffer | undefined {
  const [, kind, id] = /^\/-\/(logs|artifacts)\/(\d+)$/.exec(path) ?? [];
  for (const { workflowRuns, artifacts } of hub.repositories) {
    if (kind === 'artifacts') {
      const artifact = artifacts.find((one) => one.id === Number(id));
      if (artifact) return artifact.zip;
    }
    const job = kind === 'logs' && workflowRuns.flatMap(({ jobs }) => jobs).find((one) => one.id === Number(id));
    if (job) return Buffer.from(job.log);
  }
  return undefined;
}
