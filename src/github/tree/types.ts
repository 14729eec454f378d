/** Modes of a git tree that a work tree can make. */
export type FileMode = '100644' | '100755' | '120000';

export interface WrittenFile {
  kind: 'added' | 'modified';
  path: string;
  mode: FileMode;
  /** File content, or a link's target. */
  bytes: Uint8Array;
  /** Git's id of `bytes`. */
  sha: string;
  /** The base commit holds the same bytes somewhere, as after a rename: they need no upload. */
  inBase: boolean;
}

export interface DeletedFile {
  kind: 'deleted';
  path: string;
}

/** One difference between the work tree and the commit it was made from. Paths are relative, with `/`. */
export type TreeChange = WrittenFile | DeletedFile;

export type LeftOutReason = 'too-large' | 'name-not-utf8' | 'unreadable' | 'special-file' | 'too-deep' | 'lfs-content';

/** A difference that cannot become part of a commit. `path` is for display. */
export interface LeftOut {
  path: string;
  reason: LeftOutReason;
}

export interface TreeChanges {
  /** Ordered by path. */
  changes: TreeChange[];
  leftOut: LeftOut[];
}
