import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from './git.ts';
import { linkObjects } from './link-objects.ts';
import { isPartial, NO_CONVERSION, type Mirror } from './mirror.ts';

/** Where the session's HEAD stands: on a branch of this name, or on no branch. */
export interface SessionHead {
  sha: string;
  branch?: string;
}

/**
 * A git directory of the session's own, complete in itself so that it can be mounted read-only into a container:
 * the mirror's objects (linked), its branches as `origin/…`, its tags. No token, no hooks.
 */
export async function createSessionGitDir(mirror: Mirror, gitDir: string, head: SessionHead): Promise<void> {
  await mkdir(join(gitDir, 'refs', 'heads'), { recursive: true });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'attributes'), NO_CONVERSION);
  await writeFile(join(gitDir, 'config'), configOf(mirror));
  await writeFile(join(gitDir, 'packed-refs'), await packedRefs(mirror));
  await writeHead(gitDir, head);
  await linkObjects(mirror.gitDir, gitDir);
  await copyFile(join(mirror.gitDir, 'shallow'), join(gitDir, 'shallow')).catch(() => {});
}

/** Only size and time of a file count as its state: the tree's owner may change after checkout. */
function configOf(mirror: Mirror): string {
  const partial = isPartial(mirror);
  const { cloneUrl } = mirror.repository;
  return [
    '[core]',
    `\trepositoryformatversion = ${partial ? 1 : 0}`,
    '\tfilemode = true\n\tbare = false\n\tautocrlf = false\n\tcheckStat = minimal\n\ttrustctime = false',
    ...(partial ? ['[extensions]', '\tpartialClone = origin'] : []),
    ...(partial ? ['[remote "origin"]', `\turl = ${cloneUrl}`, '\tpromisor = true'] : []),
    '',
  ].join('\n');
}

async function packedRefs({ gitDir }: Mirror): Promise<string> {
  const format = '--format=%(objectname) %(refname)';
  const { stdout } = await git(['for-each-ref', format, 'refs/heads/', 'refs/tags/'], { gitDir });
  return stdout.toString().replaceAll(' refs/heads/', ' refs/remotes/origin/');
}

async function writeHead(gitDir: string, { sha, branch }: SessionHead): Promise<void> {
  await writeFile(join(gitDir, 'HEAD'), branch ? `ref: refs/heads/${branch}\n` : `${sha}\n`);
  if (!branch) return;
  const file = join(gitDir, 'refs', 'heads', branch);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${sha}\n`);
}
