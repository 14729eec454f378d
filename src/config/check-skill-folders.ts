import { stat } from 'node:fs/promises';
import { DshError } from '../errors.ts';
import type { ConfigFile } from './config-file.ts';

/** A folder that is named and not there would look like one without skills. Throws `CONFIG_INVALID`. */
export async function checkSkillFolders({ skills }: ConfigFile): Promise<void> {
  for (const folder of skills?.dirs ?? []) {
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) continue;
    const hint = 'Correct `skills.dirs` in the operator configuration: each entry is a folder on this machine.';
    throw new DshError(`There is no skill folder ${folder}.`, 'CONFIG_INVALID', hint);
  }
}
