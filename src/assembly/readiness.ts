import { checkEngine } from '../docker/engine.ts';
import { cachedCheck } from '../store/cached-check.ts';
import type { Store } from '../store/open-store.ts';
import { probeFolder } from '../store/probe-folder.ts';
import type { Foundations } from './foundations.ts';

/** How often what can be stored is tried out, however often that is asked. */
const PROBE = { holdsMs: 5_000, limitMs: 5_000 };

/** Answers why no turn can run at the moment; nothing where one can. */
export function readiness({ store, docker, env }: Foundations): () => Promise<string[]> {
  const canStore = cachedCheck(() => mayStore(store, env.dataDir), PROBE);
  return () => reasonsOf([canStore(), checkEngine(docker)]);
}

/** Disks fill up, and file systems become read-only: reading tells nothing of it. */
async function mayStore(store: Store, dataDir: string): Promise<void> {
  try {
    await Promise.all([store.probe(), probeFolder(dataDir)]);
  } catch (cause) {
    throw new Error(`Nothing can be stored: ${(cause as Error).message}`, { cause });
  }
}

async function reasonsOf(checks: readonly Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(checks);
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String((outcome.reason as Error).message)] : [],
  );
}
