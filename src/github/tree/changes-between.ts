import { git, type GitOptions } from '../git/git.ts';
import { readBaseTree } from './base-tree.ts';
import type { FileMode, TreeChange } from './types.ts';

const SUBMODULE = '160000';

/** What leads from one commit to a tree, submodules aside. */
export async function changesBetween(options: GitOptions, commit: string, tree: string): Promise<TreeChange[]> {
  const base = await readBaseTree(options.gitDir, commit, options.signal);
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', commit, tree];
  const fields = (await git(args, options)).stdout.toString().split('\0');
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before, mode, , sha, status] = fields[at]!.split(' ') as [string, string, string, string, string];
    const path = fields[at + 1]!;
    if (before === `:${SUBMODULE}` || mode === SUBMODULE) continue;
    if (status === 'D') changes.push({ kind: 'deleted', path });
    else {
      const bytes = (await git(['cat-file', 'blob', sha], options)).stdout;
      const kind = status === 'A' ? 'added' : 'modified';
      changes.push({ kind, path, mode: mode as FileMode, bytes, sha, inBase: base.blobs.has(sha) });
    }
  }
  return changes;
}
