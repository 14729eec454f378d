import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../harness/session/types.ts';
import type { Lease } from '../store/lease.ts';
import type { Records } from '../store/records.ts';
import { removeSearchFile } from '../store/search/search-file.ts';

interface Places {
  readonly dataDir: string;
  readonly spillRoot: string;
}

/** What was too long to show, and what was made of it to be searched, goes with its session (persistence.md B6). */
export function recordsWithFiles(records: Records, places: Places): Records {
  const erase = async (session: SessionId) => {
    await records.settings.erase(session);
    await rm(join(places.spillRoot, session), { recursive: true, force: true });
    await removeSearchFile(places.dataDir);
  };
  const under = (lease: Lease) => recordsWithFiles(records.under(lease), places);
  return { ...records, under, settings: { ...records.settings, erase } };
}
