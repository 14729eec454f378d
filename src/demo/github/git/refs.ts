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

/** The object a full ref name points at. */
export function readRef(git: Git, name: string): Promise<string | undefined> {
  return git.ask(['rev-parse', '--quiet', '--verify', '--end-of-options', name]);
}

export async function isEmptyRepository(git: Git): Promise<boolean> {
  return (await git.text(['for-each-ref', '--count=1', 'refs/heads/'])) === '';
}

export async function isAncestor(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  return (await git.ask(['merge-base', '--is-ancestor', ancestor, descendant])) !== undefined;
}
