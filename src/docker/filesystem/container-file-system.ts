import { applyEdit, toLf } from '../../seams/filesystem/apply-edit.ts';
import { FileSystem, FsTargetKey, FsVersion } from '../../seams/filesystem/file-system.ts';
import type {
  FsDecodedText,
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
} from '../../seams/filesystem/file-system.ts';
import { FsError } from '../../seams/filesystem/fs-error.ts';
import { keepLineEndings } from '../../seams/filesystem/keep-line-endings.ts';
import type { SandboxExecutionPolicy, SandboxMode } from '../../seams/sandbox/types.ts';
import { ListedEntries } from '../agent-message.ts';
import { WORKSPACE } from '../agent/protocol.ts';
import type { FileFacts, ListedEntry, WriteIntent } from '../agent/protocol.ts';
import type { SandboxHandle } from '../sandbox-handle.ts';
import { AgentFiles } from './agent-files.ts';
import { streamText } from './stream-text.ts';
import type { FilePart } from './stream-text.ts';
import { TargetLocks } from './target-locks.ts';
import { decodeText, encodeText } from './text-encoding.ts';
import { writableFolders } from './writable-folders.ts';

const MAX_WHOLE_BYTES = 10 * 1024 * 1024;
const MAX_WRITE_BYTES = 5 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/** The files of a session's container, with its own view of links and mounts. */
export class ContainerFileSystem extends FileSystem {
  readonly #handle: SandboxHandle;
  readonly #files: AgentFiles;
  readonly #locks = new TargetLocks();

  constructor(handle: SandboxHandle) {
    super();
    this.#handle = handle;
    this.#files = new AgentFiles(handle);
  }

  override get sandboxMode(): SandboxMode {
    return this.#handle.mode;
  }

  async resolve(path: string, { cwd = WORKSPACE, signal }: FsResolveOptions = {}): Promise<FsTarget> {
    const { value } = await this.#files.look({ op: 'resolve', path, cwd }, signal);
    return targetAt(value);
  }

  async stat(target: FsTarget, signal?: AbortSignal): Promise<FsInfo | undefined> {
    const { value } = await this.#files.look({ op: 'stat', path: target.targetKey }, signal);
    return value ? infoOf(value) : undefined;
  }

  async lstat(path: string, { cwd = WORKSPACE } = {}, signal?: AbortSignal): Promise<FsPathInfo | undefined> {
    const { value } = await this.#files.look({ op: 'lstat', path, cwd }, signal);
    return value ? { ...value, version: FsVersion(value.version) } : undefined;
  }

  async readText(target: FsTarget, signal?: AbortSignal): Promise<string> {
    return (await this.readDecoded(target, signal)).text;
  }

  override async readDecoded(target: FsTarget, signal?: AbortSignal): Promise<FsDecodedText> {
    const { bytes, atEnd } = await this.#part(target, 0, MAX_WHOLE_BYTES, signal);
    if (!atEnd) throw new FsError(`more than ${MAX_WHOLE_BYTES} bytes cannot be read at once`, 'FS_IO_ERROR');
    return decodeText(bytes);
  }

  streamText(target: FsTarget, signal?: AbortSignal): Promise<AsyncIterable<string>> {
    return streamText((offset, maxBytes) => this.#part(target, offset, maxBytes, signal));
  }

  async listDir(target: FsTarget, signal?: AbortSignal): Promise<FsDirEntry[]> {
    const { value, body } = await this.#files.look(
      { op: 'list', path: target.targetKey, maxEntries: MAX_ENTRIES },
      signal,
    );
    const entries = ListedEntries.parse(JSON.parse(body.toString())).map(entryOf);
    if (value.total <= entries.length) return entries;
    return [
      ...entries,
      { name: `[${value.total - entries.length} more entries are not listed]`, type: 'other', target },
    ];
  }

  writeText(
    target: FsTarget,
    content: string,
    expected?: FsWriteIntent,
    signal?: AbortSignal,
    sandboxPolicy?: SandboxExecutionPolicy,
  ): Promise<FsWriteOutcome> {
    return this.#locks.run(target.targetKey, async () => {
      assertSize(content);
      const terms = { roots: this.#roots(sandboxPolicy), policy: sandboxPolicy };
      const old = await this.#oldText(target, signal);
      const text = old ? keepLineEndings(keepMark(content, old.text), old.text) : content;
      const bytes = encodeText(text, old?.encoding ?? 'utf-8');
      const { facts, created } = await this.#files.write(
        target,
        bytes,
        { intent: intentOf(expected), ...terms },
        signal,
      );
      return {
        operation: created ? 'create' : 'update',
        version: FsVersion(facts.version),
        before: created || !old ? null : toLf(old.text),
        after: toLf(content),
      };
    });
  }

  editText(
    target: FsTarget,
    edit: FsEditRequest,
    expected?: FsEditIntent,
    signal?: AbortSignal,
    sandboxPolicy?: SandboxExecutionPolicy,
  ): Promise<FsEditOutcome> {
    return this.#locks.run(target.targetKey, async () => {
      const terms = { roots: this.#roots(sandboxPolicy), policy: sandboxPolicy };
      const info = await this.stat(target, signal);
      if (!info || (expected && expected.version !== info.version)) {
        throw new FsError('the file changed since it was read', 'FS_STALE_VERSION');
      }
      const { text, encoding } = await this.readDecoded(target, signal);
      if (text.includes('\0')) throw new FsError('not a text file', 'FS_NOT_TEXT');
      const applied = applyEdit(text, edit);
      const intent: WriteIntent = { kind: 'version', version: info.version };
      const { facts } = await this.#files.write(
        target,
        encodeText(applied.text, encoding),
        { intent, ...terms },
        signal,
      );
      return { version: FsVersion(facts.version), before: applied.before, after: applied.after };
    });
  }

  #roots(policy: SandboxExecutionPolicy | undefined): string[] {
    return writableFolders(policy ?? { mode: this.#handle.mode, workspaceRoot: WORKSPACE });
  }

  /** Only for the diff, the line endings and the encoding: what cannot be read as text does not stop the write. */
  async #oldText(target: FsTarget, signal: AbortSignal | undefined): Promise<FsDecodedText | undefined> {
    try {
      return await this.readDecoded(target, signal);
    } catch (cause) {
      if (!(cause instanceof FsError) || cause.code === 'FS_ABORTED') throw cause;
      return undefined;
    }
  }

  async #part(target: FsTarget, offset: number, maxBytes: number, signal?: AbortSignal): Promise<FilePart> {
    const request = { op: 'read', path: target.targetKey as string, offset, maxBytes } as const;
    const { value, body } = await this.#files.look(request, signal);
    return { bytes: body, version: value.facts.version, atEnd: value.atEnd };
  }
}

function assertSize(content: string): void {
  if (Buffer.byteLength(content) <= MAX_WRITE_BYTES) return;
  throw new FsError(`more than ${MAX_WRITE_BYTES} bytes cannot be written at once`, 'FS_IO_ERROR');
}

function targetAt(path: string): FsTarget {
  return { targetKey: FsTargetKey(path), displayPath: path };
}

/** Whoever asks by target never sees a link. */
function infoOf({ type, size, version }: FileFacts): FsInfo {
  return { type: type === 'symlink' ? 'other' : type, size, version: FsVersion(version) };
}

function entryOf({ name, path, facts }: ListedEntry): FsDirEntry {
  return facts ? { name, target: targetAt(path), ...infoOf(facts) } : { name, target: targetAt(path), type: 'other' };
}

function intentOf(expected: FsWriteIntent | undefined): WriteIntent {
  if (!expected) return { kind: 'any' };
  return expected.kind === 'createIfAbsent' ? { kind: 'absent' } : { kind: 'version', version: expected.version };
}

function keepMark(content: string, old: string): string {
  return old.startsWith('\uFEFF') && !content.startsWith('\uFEFF') ? `\uFEFF${content}` : content;
}
