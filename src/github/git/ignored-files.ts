import { git } from './git.ts';
import { mirrorOptions, type Mirror } from './mirror.ts';

/** What a tree holds beside its commit and git ignores there; a folder that is ignored as a whole ends in a slash. */
export async function listIgnored(
  mirror: Mirror,
  { workTree, index }: { workTree: string; index: string },
  signal?: AbortSignal,
): Promise<string[]> {
  const args = [
    '-c',
    'core.bare=false',
    'ls-files',
    '--others',
    '--ignored',
    '--exclude-standard',
    '--directory',
    '-z',
  ];
  const options = { ...(await mirrorOptions(mirror)), workTree, env: { GIT_INDEX_FILE: index }, signal };
  return pathsIn((await git(args, options)).stdout);
}

/** Those of the paths that a fresh tree's own rules ignore. */
export async function keepIgnored(
  paths: readonly string[],
  { workTree, gitDir }: { workTree: string; gitDir: string },
  signal?: AbortSignal,
): Promise<string[]> {
  if (paths.length === 0) return [];
  // It takes no literal pathspecs; with `./` in front nothing in a name is special.
  const input = paths.map((path) => `./${path}`).join('\0');
  const options = { gitDir, workTree, input, env: { GIT_LITERAL_PATHSPECS: '0' }, answers: [0, 1], signal };
  const { stdout } = await git(['check-ignore', '-z', '--stdin'], options);
  return pathsIn(stdout).map((path) => path.replace(/^\.\//, ''));
}

function pathsIn(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter(Boolean);
}
