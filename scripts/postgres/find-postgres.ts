import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The folder of PostgreSQL's server programs: Debian keeps those of each version apart, others have them on the path. */
export function findPostgres(): string | undefined {
  const versions = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionOf(b) - versionOf(a));
  const folders = [...versions, ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

function versionOf(folder: string): number {
  return Number(folder.split('/').at(-2));
}
