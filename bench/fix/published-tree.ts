import { git, gitText } from '../../src/github/git/git.ts';

/** The files of a branch, by path; for repositories of a few small texts. */
export async function publishedTree(gitDir: string, branch: string): Promise<Record<string, string>> {
  const paths = (await gitText(['ls-tree', '-r', '-z', '--name-only', branch], { gitDir })).split('\0').filter(Boolean);
  const entries = paths.map(async (path) => {
    const { stdout } = await git(['cat-file', 'blob', `${branch}:${path}`], { gitDir });
    return [path, stdout.toString('utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
