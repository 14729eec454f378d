import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Checkout } from '../git/checkout.ts';
import { readLfsFiles } from '../git/lfs-files.ts';
import type { LfsPointer } from '../git/lfs-pointer.ts';
import { readBaseTree, type BaseEntry, type BaseTree } from './base-tree.ts';
import { blobSha } from './blob-sha.ts';
import { openIgnoreRules, type IgnoreRules } from './ignore-rules.ts';
import { childOf, closeFolder, listFolder, openFolder, readLink, withFile, type OpenFolder } from './open-nofollow.ts';
import { isGitFolder } from './safe-path.ts';
import type { FileMode, LeftOutReason, TreeChange, TreeChanges } from './types.ts';

/** GitHub refuses larger files. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;
const MAX_DEPTH = 200;
/** Of a folder's path: with a child's name and what stands before it, the system takes 4096. */
const MAX_PATH_BYTES = 3_500;
const SUBMODULE = '160000';

/**
 * What the work tree holds that its commit does not, and the other way round. The tree was written by a sandbox and
 * may be written to while it is read: nothing in it is followed, run, or believed. Submodules are left alone.
 */
export async function readTreeChanges(
  checkout: Pick<Checkout, 'workTree' | 'gitDir' | 'headSha'>,
  signal?: AbortSignal,
): Promise<TreeChanges> {
  const base = await readBaseTree(checkout.gitDir, checkout.headSha, signal);
  const lfs = await readLfsFiles(checkout.gitDir);
  const rules = await openIgnoreRules(checkout.gitDir, base, signal);
  try {
    const walk = new TreeWalk({ base, rules, lfs, signal });
    await walk.enter(Buffer.from(checkout.workTree), '');
    return walk.result();
  } finally {
    await rules.close();
  }
}

interface WalkParts {
  readonly base: BaseTree;
  readonly rules: IgnoreRules;
  readonly lfs: ReadonlyMap<string, LfsPointer>;
  readonly signal: AbortSignal | undefined;
}

/** Paths inside are latin1, one character a byte. */
class TreeWalk {
  readonly #base: BaseTree;
  readonly #rules: IgnoreRules;
  readonly #lfs: ReadonlyMap<string, LfsPointer>;
  readonly #signal?: AbortSignal;
  readonly #found: TreeChanges = { changes: [], leftOut: [] };
  /** Base paths accounted for; the others were deleted. */
  readonly #seen = new Set<string>();
  readonly #unread: string[] = [];

  constructor({ base, rules, lfs, signal }: WalkParts) {
    this.#base = base;
    this.#rules = rules;
    this.#lfs = lfs;
    this.#signal = signal;
  }

  async enter(place: Buffer, path: string, depth = 0): Promise<void> {
    this.#signal?.throwIfAborted();
    if (depth > MAX_DEPTH || path.length > MAX_PATH_BYTES) return this.#skipFolder(path, 'too-deep');
    const folder = this.#attempt(path, () => openFolder(place));
    if (!folder) return;
    try {
      await this.#visit(folder, path, depth);
    } finally {
      closeFolder(folder);
    }
  }

  result(): TreeChanges {
    for (const [path, { mode }] of this.#base.files) {
      if (this.#seen.has(path) || mode === SUBMODULE || this.#unread.some((part) => isBelow(path, part))) continue;
      this.#add(path, { kind: 'deleted', path: '' });
    }
    this.#found.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
    return this.#found;
  }

  async #visit(folder: OpenFolder, path: string, depth: number): Promise<void> {
    const entries = this.#attempt(path, () => listFolder(folder)) ?? [];
    for (const entry of await this.#wanted(entries, path)) {
      const child = path + entry.name.toString('latin1');
      if (entry.isDirectory()) await this.enter(childOf(folder, entry.name), `${child}/`, depth + 1);
      else this.#attempt(child, () => this.#compare(childOf(folder, entry.name), child, entry));
    }
    // Reading is synchronous, for speed; others get their turn between folders.
    await nextTick();
  }

  /** Entries that could matter: known to the base, or not ignored by it. */
  async #wanted(entries: Dirent<Buffer>[], path: string): Promise<Dirent<Buffer>[]> {
    const { files, folders } = this.#base;
    const known: Dirent<Buffer>[] = [];
    const unknown: Dirent<Buffer>[] = [];
    for (const entry of entries) {
      const child = path + entry.name.toString('latin1');
      if (isGitFolder(entry.name.toString()) || files.get(child)?.mode === SUBMODULE) continue;
      (files.has(child) || (entry.isDirectory() && folders.has(child)) ? known : unknown).push(entry);
    }
    const asked = unknown.map((entry) => ({
      path: path + entry.name.toString('latin1'),
      isFolder: entry.isDirectory(),
    }));
    const ignored = asked.length > 0 ? await this.#rules.ignored(asked) : [];
    return [...known, ...unknown.filter((_, index) => !ignored[index])];
  }

  #compare(place: Buffer, path: string, entry: Dirent<Buffer>): void {
    if (entry.isSymbolicLink()) return this.#record(path, '120000', readLink(place));
    if (!entry.isFile()) return this.#leaveOut(path, 'special-file');
    withFile(place, ({ executable, size, read }) => {
      if (this.#isLfsContent(path, size, read)) this.#seen.add(path);
      else if (size > MAX_FILE_BYTES) this.#leaveOut(path, 'too-large');
      else this.#record(path, executable ? '100755' : '100644', read());
    });
  }

  /** The content that stands for a pointer; too large to be read, its size has to do. */
  #isLfsContent(path: string, size: number, read: () => Buffer): boolean {
    const pointer = this.#lfs.get(path);
    if (!pointer || pointer.size !== size) return false;
    return size > MAX_FILE_BYTES || createHash('sha256').update(read()).digest('hex') === pointer.oid;
  }

  #record(path: string, mode: FileMode, bytes: Buffer): void {
    const before = this.#base.files.get(path);
    const sha = blobSha(bytes);
    this.#seen.add(path);
    if (this.#lfs.has(path) && before?.sha !== sha) return this.#leaveOut(path, 'lfs-content');
    if (before && isSame(before, mode, sha)) return;
    const kind = before ? 'modified' : 'added';
    this.#add(path, { kind, path: '', mode, bytes, sha, inBase: this.#base.blobs.has(sha) });
  }

  #add(path: string, change: TreeChange): void {
    const name = utf8Of(path);
    if (name === undefined) this.#leaveOut(path, 'name-not-utf8');
    else this.#found.changes.push({ ...change, path: name });
  }

  #leaveOut(path: string, reason: LeftOutReason): void {
    this.#seen.add(path);
    this.#found.leftOut.push({ path: Buffer.from(path, 'latin1').toString(), reason });
  }

  #skipFolder(path: string, reason: LeftOutReason): void {
    this.#unread.push(path);
    this.#leaveOut(path, reason);
  }

  /** What the sandbox made unreadable is named; it is not taken for deleted. */
  #attempt<T>(path: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!['EACCES', 'EPERM', 'ENOENT', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      this.#skipFolder(path, 'unreadable');
      return undefined;
    }
  }
}

function isSame(before: BaseEntry, mode: FileMode, sha: string): boolean {
  return before.sha === sha && before.mode === mode;
}

function isBelow(path: string, part: string): boolean {
  return path === part || path.startsWith(part.endsWith('/') || part === '' ? part : `${part}/`);
}

function utf8Of(path: string): string | undefined {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
