import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of our own package.json, from the sources as well as from what is published. */
export function findPackageRoot(from: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(from));
  while (!existsSync(`${folder}/package.json`)) {
    if (folder === dirname(folder)) throw new Error(`${fileURLToPath(from)} lies in no package`);
    folder = dirname(folder);
  }
  return folder;
}
