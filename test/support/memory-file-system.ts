import { setTimeout as sleep } from 'node:timers/promises';
import { applyEdit, toLf } from '../../src/seams/filesystem/apply-edit.ts';
import { FsError } from '../../src/seams/filesystem/fs-error.ts';
import { FileSystem, FsTargetKey, FsVersion } from '../../src/seams/filesystem/file-system.ts';
import type {
  FsDirEntry,
  FsEditIntent,
  FsEditOutcome,
  FsEditRequest,
  FsInfo,
  FsPathInfo,
  FsResolveOptions,
  FsTarget,
  FsWriteIntent,
  FsWriteOutcome,
} from '../../src/seams/filesystem/file-system.ts';
import { keepLineEndings } from '../../src/seams/filesystem/keep-line-endings.ts';
import type { SandboxExecutionPolicy, SandboxMode } from '../../src/seams/sandbox/types.ts';

interface MemoryFile {
  text: string;
  version: number;
}

/** A text store in memory: directories are the prefixes of its files, links are a table of paths. */
export class MemoryFileSystem extends FileSystem {
  readonly files = new Map<string, MemoryFile>();
  readonly links = new Map<string, string>();
  /** Every call by name, so that a test can count them. */
  readonly calls: string[] = [];
  readonly cwd: string;
  readonly #mode: SandboxMode | undefined;
  readonly #locks = new Map<string, Promise<unknown>>();
  #versions = 0;

  constructor(files: Record<string, string> = {}, options: { cwd?: string; mode?: SandboxMode } = {}) {
    super();
    this.cwd = options.cwd ?? '/workspace';
    this.#mode = options.mode;
    for (const [path, text] of Object.entries(files)) this.put(path, text);
  }

  override get sandboxMode(): SandboxMode | undefined {
    return this.#mode;
  }

  /** Changes a file from outside. */
  put(path: string, text: string): void {
    this.files.set(this.#locate(path), { text, version: ++this.#versions });
  }

  remove(path: string): void {
    this.files.delete(this.#locate(path));
  }

  textOf(path: string): string | undefined {
    return this.files.get(this.#locate(path))?.text;
  }

  async resolve(path: string, { cwd = this.cwd }: FsResolveOptions = {}): Promise<FsTarget> {
    this.calls.push('resolve');
    return this.#target(this.#locate(path, cwd));
  }

  async stat(target: FsTarget): Promise<FsInfo | undefined> {
    this.calls.push('stat');
    return this.#info(target.targetKey);
  }

  async lstat(path: string, { cwd = this.cwd }: { cwd?: string } = {}): Promise<FsPathInfo | undefined> {
    const spelled = this.#locate(path, cwd, false);
    if (this.links.has(spelled)) return { version: FsVersion(`link:${this.links.get(spelled)}`), type: 'symlink' };
    return this.#info(spelled);
  }

  async readText(target: FsTarget, signal?: AbortSignal): Promise<string> {
    this.calls.push('readText');
    if (signal?.aborted) throw new FsError('aborted', 'FS_ABORTED');
    return this.#readable(target).text;
  }

  async streamText(target: FsTarget): Promise<AsyncIterable<string>> {
    this.calls.push('streamText');
    return piecesOf(this.#readable(target).text);
  }

  async listDir(target: FsTarget): Promise<FsDirEntry[]> {
    const directory = target.targetKey;
    const info = this.#info(directory);
    if (!info) throw new FsError('no such directory', 'FS_NOT_FOUND');
    if (info.type !== 'directory') throw new FsError('not a directory', 'FS_NOT_DIRECTORY');
    return this.#children(directory).map((name) => this.#entry(directory, name));
  }

  writeText(
    target: FsTarget,
    content: string,
    expected?: FsWriteIntent,
    signal?: AbortSignal,
    policy?: SandboxExecutionPolicy,
  ): Promise<FsWriteOutcome> {
    return this.#mutate(target, signal, policy, () => {
      const existing = this.files.get(target.targetKey);
      if (this.#info(target.targetKey)?.type === 'directory') throw new FsError('a directory', 'FS_NOT_REGULAR_FILE');
      assertIntent(existing, expected);
      const version = this.#store(target, existing ? keepLineEndings(content, existing.text) : content);
      const operation = existing ? 'update' : 'create';
      return { operation, version, before: existing ? diffable(existing.text) : null, after: toLf(content) };
    });
  }

  editText(
    target: FsTarget,
    edit: FsEditRequest,
    expected?: FsEditIntent,
    signal?: AbortSignal,
    policy?: SandboxExecutionPolicy,
  ): Promise<FsEditOutcome> {
    return this.#mutate(target, signal, policy, () => {
      const existing = this.files.get(target.targetKey);
      if (!existing || (expected && expected.version !== versionOf(existing))) {
        throw new FsError('changed since it was read', 'FS_STALE_VERSION');
      }
      const { text, before, after } = applyEdit(this.#readable(target).text, edit);
      return { version: this.#store(target, text), before, after };
    });
  }

  /** One after the other per target, each in a later task, so that overlapping calls really overlap. */
  async #mutate<T>(
    target: FsTarget,
    signal: AbortSignal | undefined,
    policy: SandboxExecutionPolicy | undefined,
    change: () => T,
  ): Promise<T> {
    const before = this.#locks.get(target.targetKey) ?? Promise.resolve();
    const running = before
      .then(() => sleep(0))
      .then(() => {
        if (signal?.aborted) throw new FsError('aborted', 'FS_ABORTED');
        this.#assertWritable(target, policy);
        return change();
      });
    this.#locks.set(
      target.targetKey,
      running.catch(() => {}),
    );
    return running;
  }

  #assertWritable({ targetKey, displayPath }: FsTarget, policy?: SandboxExecutionPolicy): void {
    const mode = policy?.mode ?? this.#mode;
    const roots = [policy?.workspaceRoot ?? this.cwd, '/tmp'];
    const isInside = roots.some((root) => targetKey.startsWith(`${root}/`));
    if (mode === 'read-only' || (mode === 'workspace-write' && !isInside)) {
      throw new FsError(`${displayPath} is not writable`, 'FS_SANDBOX_DENIED');
    }
  }

  #store({ targetKey }: FsTarget, text: string): FsVersion {
    const file = { text, version: ++this.#versions };
    this.files.set(targetKey, file);
    return versionOf(file);
  }

  #readable({ targetKey }: FsTarget): MemoryFile {
    const file = this.files.get(targetKey);
    if (!file && this.#info(targetKey)) throw new FsError('a directory', 'FS_NOT_REGULAR_FILE');
    if (!file) throw new FsError('no such file', 'FS_NOT_FOUND');
    if (file.text.includes('\0')) throw new FsError('binary', 'FS_NOT_TEXT');
    return file;
  }

  #info(path: string): FsInfo | undefined {
    const file = this.files.get(path);
    if (file) return { version: versionOf(file), type: 'file', size: Buffer.byteLength(file.text) };
    const isDirectory = path === '/' || path === this.cwd || this.#children(path).length > 0;
    return isDirectory ? { version: FsVersion(`dir:${path}`), type: 'directory' } : undefined;
  }

  #children(directory: string): string[] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    const paths = [...this.files.keys(), ...this.links.keys()].filter((path) => path.startsWith(prefix));
    return [...new Set(paths.map((path) => path.slice(prefix.length).split('/')[0]!))].sort();
  }

  #entry(directory: string, name: string): FsDirEntry {
    const target = this.#target(this.#locate(`${directory}/${name}`));
    const info = this.#info(target.targetKey);
    return info ? { name, target, ...info } : { name, target, type: 'other' };
  }

  #target(path: string): FsTarget {
    return { targetKey: FsTargetKey(path), displayPath: path };
  }

  /** Component by component, as a file system does: links are followed before `..` is applied. */
  #locate(path: string, cwd = this.cwd, followLast = true): string {
    if (path.trim() === '') throw new FsError('blank path', 'FS_NOT_FOUND');
    const names = (path.startsWith('/') ? path : `${cwd}/${path}`).split('/').filter((name) => name && name !== '.');
    let at = '';
    names.forEach((name, index) => {
      if (this.files.has(at)) throw new FsError(`${at} is a file`, 'FS_NOT_FOUND');
      at = name === '..' ? at.slice(0, at.lastIndexOf('/')) : `${at}/${name}`;
      const link = this.links.get(at);
      if (link !== undefined && (followLast || index < names.length - 1))
        at = this.#locate(link, at.slice(0, at.lastIndexOf('/')));
    });
    return at || '/';
  }
}

function assertIntent(existing: MemoryFile | undefined, expected: FsWriteIntent | undefined): void {
  if (expected?.kind === 'createIfAbsent' && existing) throw new FsError('it exists', 'FS_NOT_OBSERVED');
  if (expected?.kind !== 'replaceIfVersion') return;
  if (!existing || versionOf(existing) !== expected.version) throw new FsError('it changed', 'FS_STALE_VERSION');
}

function versionOf({ version }: MemoryFile): FsVersion {
  return FsVersion(`v${version}`);
}

function diffable(text: string): string | null {
  return text.includes('\0') ? null : toLf(text);
}

async function* piecesOf(text: string): AsyncIterable<string> {
  for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000);
}
