import { git } from '../git/git.ts';

export interface BaseEntry {
  mode: string;
  sha: string;
  /** Bytes; 0 for a submodule. */
  size: number;
}

/** A commit's files. Keys are paths as latin1 strings, one character a byte, since names need not be UTF-8. */
export interface BaseTree {
  files: Map<string, BaseEntry>;
  folders: Set<string>;
  blobs: Set<string>;
}

export async function readBaseTree(gitDir: string, commit: string, signal?: AbortSignal): Promise<BaseTree> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '-l', '--full-tree', commit], { gitDir, signal });
  const tree: BaseTree = { files: new Map(), folders: new Set(), blobs: new Set() };
  for (const line of stdout.toString('latin1').split('\0')) {
    if (line) addEntry(tree, line);
  }
  return tree;
}

/** `<mode> <type> <sha> <size>\t<path>`, size padded with blanks or `-`. */
function addEntry(tree: BaseTree, line: string): void {
  const tab = line.indexOf('\t');
  const [mode, type, sha, size] = line.slice(0, tab).split(/ +/) as [string, string, string, string];
  const path = line.slice(tab + 1);
  tree.files.set(path, { mode, sha, size: Number(size) || 0 });
  if (type === 'blob') tree.blobs.add(sha);
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end);
    if (tree.folders.has(folder)) break;
    tree.folders.add(folder);
  }
}
