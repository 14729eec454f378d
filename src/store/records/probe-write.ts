import type { RecordDatabase } from './record-database.ts';

const FILLER = 'x'.repeat(4_096);

/** Writes a row and takes it away again, all the way to the disk. Rejects where nothing can be stored. */
export async function probeWrite(database: RecordDatabase): Promise<void> {
  await database.write([PUT, `probe-${crypto.randomUUID()}`, FILLER], [TAKE]);
}

/** Of no repository. */
const PUT = 'insert into dsh.causes (repo, cause, delivery, taken_at) values (-1, $1, $2, 0)';
const TAKE = 'delete from dsh.causes where repo = -1';
