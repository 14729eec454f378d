import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from './git.ts';

/** Lays out an empty bare repository as GitHub serves it: partial clones allowed, pull refs closed to pushes. */
export async function makeBareRepository(dir: string, defaultBranch: string, hooksDir: string): Promise<Git> {
  await mkdir(join(dir, 'objects', 'info'), { recursive: true });
  await mkdir(join(dir, 'objects', 'pack'), { recursive: true });
  await mkdir(join(dir, 'refs', 'heads'), { recursive: true });
  await writeFile(join(dir, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  await writeFile(join(dir, 'config'), configuration(hooksDir));
  return new Git(dir);
}

function configuration(hooksDir: string): string {
  return `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	hooksPath = ${hooksDir}
	logAllRefUpdates = false
[http]
	receivepack = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	hideRefs = refs/pull
[gc]
	auto = 0
[diff]
	renameLimit = 1000
`;
}
