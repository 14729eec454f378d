import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DshError } from '../errors.ts';

/** What GitHub gives to whoever registers an App, under the names of the environment. */
export const AppCredentials = z.object({
  APP_ID: z.string(),
  PRIVATE_KEY: z.string(),
  WEBHOOK_SECRET: z.string(),
  GITHUB_CLIENT_ID: z.string(),
  GITHUB_CLIENT_SECRET: z.string(),
});
export type AppCredentials = z.infer<typeof AppCredentials>;

const FILE = 'app.json';

/** What was stored when the App was registered here; undefined where none was. Throws `CONFIG_INVALID` for a broken file. */
export async function readAppCredentials(dataDir: string): Promise<AppCredentials | undefined> {
  const file = join(dataDir, FILE);
  try {
    return AppCredentials.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw broken(file, cause);
  }
}

/** For this user's eyes alone, from the first byte on and all at once. Returns the file. */
export async function storeAppCredentials(dataDir: string, credentials: AppCredentials): Promise<string> {
  const file = join(dataDir, FILE);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(credentials, undefined, 2), { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return file;
}

/** Its text holds secrets, so none of it is shown, and neither is what a parser says of it. */
function broken(file: string, cause: unknown): DshError {
  const { code } = cause as NodeJS.ErrnoException;
  const why = code ? `cannot be read (${code})` : 'does not hold the credentials of an App';
  const hint =
    'Mend it, or take it away to register the App anew; or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET, which come first.';
  return new DshError(`${file} ${why}.`, 'CONFIG_INVALID', hint);
}
