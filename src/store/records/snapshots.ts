import type { Snapshots } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** The last snapshot of each session, as a table. */
export function snapshotsIn(database: RecordDatabase): Snapshots {
  return {
    put: async (session, { base, digest, bytes }) => void (await database.write([PUT, session, base, digest, bytes])),
    latest: async (session) => {
      const [row] = await database.read([LATEST, session]);
      if (!row) return undefined;
      return {
        base: String(row['base']),
        digest: String(row['digest']),
        bytes: new Uint8Array(row['bytes'] as Uint8Array),
      };
    },
    drop: async (session) => void (await database.write([DROP, session])),
  };
}

const PUT = `
insert into dsh.snapshots (session_id, base, digest, bytes) values ($1, $2, $3, $4)
on conflict (session_id) do update set base = excluded.base, digest = excluded.digest, bytes = excluded.bytes`;
const LATEST = 'select base, digest, bytes from dsh.snapshots where session_id = $1';
const DROP = 'delete from dsh.snapshots where session_id = $1';
