import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DshError } from '../../errors.ts';
import { EXIT } from '../exit-code.ts';
import { readIdentity } from '../identity.ts';
import type { Output } from '../output.ts';
import { repositoryFiles } from './repository-files.ts';

/** Writes what a repository needs for the Action. Asks nothing, and leaves what is there as it is. */
export async function runInit(cwd: string, output: Pick<Output, 'say' | 'result'>): Promise<number> {
  const root = await repositoryRoot(cwd);
  const files: { path: string; written: boolean }[] = [];
  for (const { path, text } of repositoryFiles(readIdentity().version)) {
    const written = await writeNew(join(root, path), text);
    output.say(written ? `wrote ${path}` : `left ${path} as it is`);
    files.push({ path, written });
  }
  if (files.some(({ written }) => written)) {
    output.say(
      'Add the secret DEEPSEEK_API_KEY to the repository, commit the files, and comment /dsh help on an issue.',
    );
  }
  output.result({ root, files });
  return EXIT.done;
}

/** The nearest folder upwards that git keeps. */
async function repositoryRoot(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (await stat(join(at, '.git')).catch(() => undefined)) return at;
    if (dirname(at) !== at) continue;
    throw new DshError(`${folder} is in no git repository.`, 'USAGE', 'Go to a checkout of your repository first.');
  }
}

/** False for a file that is there. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
