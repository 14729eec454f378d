import { git, type GitOptions } from './git.ts';

/** Git's own diff of two trees or commits, untouched by drivers and settings a repository may bring. */
export async function diffCommits(
  options: GitOptions,
  from: string,
  to: string,
  flags: string[] = [],
): Promise<string> {
  const fixed = ['--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', '--full-index', '--src-prefix=a/'];
  const args = ['diff-tree', '-r', '-p', ...fixed, '--dst-prefix=b/', '--ignore-submodules=none', ...flags, from, to];
  return (await git(args, options)).stdout.toString();
}
