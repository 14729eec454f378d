import { readFile } from 'node:fs/promises';
import { DshError } from '../errors.ts';
import { checkSkillFolders } from './check-skill-folders.ts';
import type { ConfigFile } from './config-file.ts';
import { readConfigFile } from './read-config-file.ts';

/** The operator's settings, in the file that DSH_CONFIG names, with the folders they name looked at. Throws `CONFIG_INVALID`. */
export async function readOperatorFile(path: string): Promise<ConfigFile> {
  const file = readConfigFile(await readText(path), path);
  await checkSkillFolders(file);
  return file;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new DshError(
      `DSH_CONFIG names ${path}, which cannot be read.`,
      'CONFIG_INVALID',
      'Correct the path, or unset DSH_CONFIG.',
      { cause },
    );
  }
}
