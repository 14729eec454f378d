import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';

/** Every ref below `prefix` (`refs/heads`, or `refs/heads/dsh` for all that begin so) with the object it names. */
export async function listRefs(git: Git, prefix: string): Promise<Map<string, { sha: string; type: string }>> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const lines = await git.text(['for-each-ref', '--format=%(refname) %(objectname) %(objecttype)', folder]);
  const refs = lines
    .split('\n')
    .map((line) => line.split(' ') as [string, string, string])
    .filter(([name]) => name.startsWith(prefix) && name !== '');
  return new Map(refs.map(([name, sha, type]) => [name, { sha, type }]));
}

/** The object a full ref name points at. Plain names are looked up without starting git. */
export async function readRef(git: Git, name: string): Promise<string | undefined> {
  if (!/^refs\/[\w/.-]+$/.test(name) || name.includes('..')) {
    return git.ask(['rev-parse', '--quiet', '--verify', '--end-of-options', name]);
  }
  const loose = await readText(join(git.dir, name));
  if (/^[0-9a-f]{40}\n$/.test(loose)) return loose.trim();
  const packed = (await readText(join(git.dir, 'packed-refs'))).split('\n').find((line) => line.endsWith(` ${name}`));
  return packed?.slice(0, 40);
}

/** The text of a file, empty where there is none. */
const readText = (path: string) => readFile(path, 'utf8').catch(() => '');

const knownFilled = new WeakSet<Git>();

/** Whether nothing was ever pushed; asked before every Git Data call, so the answer "no" is kept. */
export async function isEmptyRepository(git: Git): Promise<boolean> {
  if (knownFilled.has(git)) return false;
  const first = await git.text(['for-each-ref', '--count=1', 'refs/heads/']);
  if (first !== '') knownFilled.add(git);
  return first === '';
}

export async function isAncestor(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  if (ancestor === descendant) return true;
  return (await git.askOnce(['merge-base', '--is-ancestor', ancestor, descendant])) !== undefined;
}
