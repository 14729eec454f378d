import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DshError } from '../errors.ts';
import { gitText } from '../github/git/git.ts';

export interface LocalCheckout {
  readonly root: string;
  readonly gitDir: string;
  /** Where a linked work tree keeps its objects and branches. */
  readonly commonDir: string;
  readonly headSha: string;
  /** `HEAD` where it stands on no branch. */
  readonly branch: string;
}

/** The git checkout that a folder belongs to. Throws `NO_CHECKOUT`, and `OBJECT_FORMAT` where it is one of SHA-256. */
export async function findCheckout(folder: string): Promise<LocalCheckout> {
  const root = await rootOf(resolve(folder));
  if (!root) throw noCheckout(`${folder} is in no git checkout.`);
  const gitDir = await gitDirOf(root);
  const commonDir = resolve(gitDir, (await readText(join(gitDir, 'commondir'))) ?? '.');
  const headSha = await gitText(['rev-parse', '--verify', 'HEAD^{commit}'], { gitDir }).catch(() => '');
  if (!headSha) throw noCheckout(`${root} has no commit yet.`);
  if (headSha.length !== SHA1_CHARS) throw otherFormat(root);
  const branch = await gitText(['rev-parse', '--abbrev-ref', 'HEAD'], { gitDir });
  return { root, gitDir, commonDir, headSha, branch };
}

const SHA1_CHARS = 40;

function otherFormat(root: string): DshError {
  const message = `${root} names its objects by another hash than SHA-1.`;
  return new DshError(
    message,
    'OBJECT_FORMAT',
    'GitHub takes SHA-1 only, and so does dsh: ask in a clone of that form.',
  );
}

async function rootOf(folder: string): Promise<string | undefined> {
  if (await stat(join(folder, '.git')).catch(() => undefined)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : rootOf(parent);
}

/** A linked work tree has a file there that names the directory. */
async function gitDirOf(root: string): Promise<string> {
  const place = join(root, '.git');
  const text = (await stat(place)).isFile() ? await readText(place) : undefined;
  return text ? resolve(root, text.replace(/^gitdir: /, '')) : place;
}

async function readText(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => undefined))?.trim();
}

function noCheckout(message: string): DshError {
  return new DshError(message, 'NO_CHECKOUT', 'Go to a git checkout with at least one commit, then ask again.');
}
