import type { Branded } from '../../harness/kernel/branded.ts';
import type { SandboxExecutionPolicy, SandboxMode } from '../sandbox/types.ts';

/** The same for every alias of one file. Opaque: never parse it. */
export type FsTargetKey = Branded<'FsTargetKey'>;
export function FsTargetKey(value: string): FsTargetKey {
  return value as FsTargetKey;
}
/** Changes whenever the content changes. Opaque: compare only. */
export type FsVersion = Branded<'FsVersion'>;
export function FsVersion(value: string): FsVersion {
  return value as FsVersion;
}

export interface FsTarget {
  targetKey: FsTargetKey;
  displayPath: string;
}
export interface FsInfo {
  version: FsVersion;
  type: 'file' | 'directory' | 'other';
  size?: number;
}
export interface FsPathInfo {
  version: FsVersion;
  type: 'file' | 'directory' | 'symlink' | 'other';
  size?: number;
}
export interface FsDirEntry {
  name: string;
  type: 'file' | 'directory' | 'other';
  target: FsTarget;
  version?: FsVersion;
  size?: number;
}

/** What must still be true for a write; without one it creates or overwrites. */
export type FsWriteIntent = { kind: 'createIfAbsent' } | { kind: 'replaceIfVersion'; version: FsVersion };
/** What must still be true for an edit. */
export interface FsEditIntent {
  version: FsVersion;
}
/** `before` and `after` use LF; `before` is null for a new file or one that cannot be shown as text. */
export interface FsWriteOutcome {
  operation: 'create' | 'update';
  version: FsVersion;
  before: string | null;
  after: string;
}
/** Literal text; `newString` goes in as it stands. */
export interface FsEditRequest {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}
export interface FsEditOutcome {
  version: FsVersion;
  before: string;
  after: string;
}

/** How the bytes of a file spell its text; writing back keeps it. */
export type FsEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
export interface FsDecodedText {
  text: string;
  encoding: FsEncoding;
}

export interface FsResolveOptions {
  cwd?: string;
  signal?: AbortSignal;
}

/** A store of text files. Failures are `FsError`s; every guard is optional. */
export abstract class FileSystem {
  /** The standing mode; `undefined` when this store does not confine mutations. */
  get sandboxMode(): SandboxMode | undefined {
    return undefined;
  }
  abstract resolve(path: string, options?: FsResolveOptions): Promise<FsTarget>;
  /** `undefined` = absent. */
  abstract stat(target: FsTarget, signal?: AbortSignal): Promise<FsInfo | undefined>;
  /** By path, without following a last symbolic link. */
  abstract lstat(path: string, options?: { cwd?: string }, signal?: AbortSignal): Promise<FsPathInfo | undefined>;
  abstract readText(target: FsTarget, signal?: AbortSignal): Promise<string>;
  /** `readText` that also names the encoding; stores that know more than UTF-8 override it. */
  async readDecoded(target: FsTarget, signal?: AbortSignal): Promise<FsDecodedText> {
    return { text: await this.readText(target, signal), encoding: 'utf-8' };
  }
  abstract streamText(target: FsTarget, signal?: AbortSignal): Promise<AsyncIterable<string>>;
  /** Direct children in a stable order. */
  abstract listDir(target: FsTarget, signal?: AbortSignal): Promise<FsDirEntry[]>;
  abstract writeText(
    target: FsTarget,
    content: string,
    expected?: FsWriteIntent,
    signal?: AbortSignal,
    sandboxPolicy?: SandboxExecutionPolicy,
  ): Promise<FsWriteOutcome>;
  abstract editText(
    target: FsTarget,
    edit: FsEditRequest,
    expected?: FsEditIntent,
    signal?: AbortSignal,
    sandboxPolicy?: SandboxExecutionPolicy,
  ): Promise<FsEditOutcome>;
}

/** How a policy finds the owner of an actor: two calls belong together when their session is the same object. */
export interface FsPolicyExec {
  agent?: { session?: object };
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    fs: FileSystem;
  }
  interface Events {
    /** Waterfall: the first listener that decides wins; the default is no guard. */
    'fs/write-intent': (
      target: FsTarget,
      actor: object | undefined,
      next: () => FsWriteIntent | undefined | Promise<FsWriteIntent | undefined>,
    ) => FsWriteIntent | undefined | Promise<FsWriteIntent | undefined>;
    'fs/edit-intent': (
      target: FsTarget,
      actor: object | undefined,
      next: () => FsEditIntent | undefined | Promise<FsEditIntent | undefined>,
    ) => FsEditIntent | undefined | Promise<FsEditIntent | undefined>;
    /** After a successful read or mutation. Listeners are synchronous and do not throw. */
    'fs/observed': (target: FsTarget, version: FsVersion, actor: object | undefined) => void;
    /** A read found nothing there. */
    'fs/observed-absent': (target: FsTarget, actor: object | undefined) => void;
  }
}
