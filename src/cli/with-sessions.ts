import { readEnv } from '../config/env.ts';
import type { SessionPersistence } from '../harness/session/persistence.ts';
import { openStore } from '../store/open-store.ts';
import { prepareDataDir } from './prepare-data-dir.ts';

/** Opens the stored sessions of this environment for as long as `read` takes. */
export async function withSessions<T>(
  variables: Readonly<Record<string, string | undefined>>,
  read: (sessions: SessionPersistence) => Promise<T>,
): Promise<T> {
  const { dataDir, DATABASE_URL: databaseUrl } = readEnv(variables);
  if (databaseUrl === undefined) await prepareDataDir(dataDir);
  const store = openStore({ dataDir, databaseUrl, now: () => new Date() });
  try {
    return await read(store.sessions);
  } finally {
    await store.close();
  }
}
