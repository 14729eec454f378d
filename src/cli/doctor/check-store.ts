import type { Env } from '../../config/env.ts';
import { openStore } from '../../store/open-store.ts';
import { prepareDataDir } from '../prepare-data-dir.ts';
import { ok } from './finding.ts';
import type { Check } from './finding.ts';

export function checkDataDir({ dataDir }: Env): Check {
  return {
    name: 'data directory',
    mend: 'Set DSH_DATA_DIR to a folder that this user may write to.',
    async run() {
      await prepareDataDir(dataDir);
      return ok(dataDir);
    },
  };
}

export function checkDatabase({ dataDir, DATABASE_URL: databaseUrl }: Env, now: () => Date): Check {
  return {
    name: 'database',
    mend: 'Set DSH_DATA_DIR or DATABASE_URL to a store of this version of dsh.',
    async run() {
      const store = openStore({ dataDir, databaseUrl, now });
      try {
        const { length } = await store.sessions.list();
        const where = databaseUrl === undefined ? 'the file dsh.sqlite' : 'PostgreSQL';
        return ok(`${where}, ${length} session${length === 1 ? '' : 's'}`);
      } finally {
        await store.close();
      }
    },
  };
}
