export type DiffSide = 'LEFT' | 'RIGHT';

/** One line of a hunk. It stands in the old file, the new one, or (context) both; numbers count from 1. */
export interface DiffLine {
  kind: 'context' | 'add' | 'delete';
  text: string;
  oldLine?: number;
  newLine?: number;
  /** The file ends with this line and without a line end. */
  noNewline?: true;
}

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** What git prints after the second `@@`. */
  section: string;
  lines: DiffLine[];
}

export type DiffStatus = 'added' | 'modified' | 'removed' | 'renamed' | 'copied';

/**
 * `text` has hunks; the others have none, or (`submodule`, `symlink`, `lfs-pointer`) ones that are no code: a commit
 * id, a target, a pointer. `unavailable` means there is a change and nobody could show it.
 */
export type DiffContent = 'text' | 'binary' | 'submodule' | 'symlink' | 'lfs-pointer' | 'unavailable';

export interface DiffFile {
  path: string;
  previousPath?: string;
  status: DiffStatus;
  content: DiffContent;
  additions: number;
  deletions: number;
  hunks: Hunk[];
  /** Git modes such as `100755`, where the source tells them. */
  oldMode?: string;
  newMode?: string;
}
