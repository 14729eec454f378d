/** Bumped with every change of the messages below; host and agent must agree. */
export const PROTOCOL = 3;

/** Where a session's work tree is, inside. */
export const WORKSPACE = '/workspace';
/** The session's own memory for files: its containers share it, and it goes with them. */
export const TMP_FOLDER = '/tmp';

/** Where a container with a way out has the proxy's socket, and on which port of its loopback that answers. */
export const EGRESS_FOLDER = '/dsh/egress';
export const EGRESS_SOCKET = 's';
export const EGRESS_PORT = 3128;

/** How much of one output stream leaves the container: all up to `forwardBytes`, then now and then the newest `tailBytes`. */
export interface OutputCaps {
  forwardBytes: number;
  tailBytes: number;
}

/** Body: what goes to the command's standard input, where `stdin` says that it has one. */
export interface SpawnRequest {
  op: 'spawn';
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  caps: OutputCaps;
  stdin: boolean;
  /** How long pipes that children still hold are read after the command itself has ended. */
  drainMs: number;
}

/** TERM to every process of the call, KILL after `graceMs`. Answered once none is left, or with `empty: false` after `limitMs`. */
export interface KillRequest {
  op: 'kill';
  call: number;
  graceMs: number;
  limitMs: number;
}

export type WriteIntent = { kind: 'any' } | { kind: 'absent' } | { kind: 'version'; version: string };

/** Paths are absolute container paths, or relative to `cwd`. */
export type FileRequest =
  | { op: 'resolve'; path: string; cwd: string }
  | { op: 'stat'; path: string }
  | { op: 'lstat'; path: string; cwd: string }
  | { op: 'read'; path: string; offset: number; maxBytes: number }
  | { op: 'list'; path: string; maxEntries: number }
  | { op: 'write'; path: string; intent: WriteIntent; roots: readonly string[] }
  | { op: 'give-back'; owner: number };

/** Of a refusal's reason and an error's message: those of the system repeat a path, which may be of any length. */
export const MAX_TEXT_CHARS = 1_000;

/** `cancel` asks a running file operation to stop if it has not committed yet. It is not answered. */
export type AgentRequest = SpawnRequest | KillRequest | FileRequest | { op: 'ping' } | { op: 'cancel'; call: number };

export type FileType = 'file' | 'directory' | 'symlink' | 'other';
export interface FileFacts {
  type: FileType;
  size: number;
  version: string;
}
export interface ListedEntry {
  name: string;
  path: string;
  facts: FileFacts | null;
}

/** Codes of a failed file operation; the host has the same words. */
export type FileErrorCode =
  | 'FS_NOT_FOUND'
  | 'FS_NOT_DIRECTORY'
  | 'FS_NOT_REGULAR_FILE'
  | 'FS_PERMISSION_DENIED'
  | 'FS_SANDBOX_DENIED'
  | 'FS_IO_ERROR'
  | 'FS_STALE_VERSION'
  | 'FS_NOT_OBSERVED'
  | 'FS_ABORTED';

/** What the agent finds around itself: the host compares it with what it asked the engine for. */
export interface Confinement {
  uid: number;
  /** Effective capabilities as the kernel prints them, hexadecimal. */
  capabilities: string;
  noNewPrivileges: boolean;
  /** The kernel's number: 2 is a filter. */
  seccomp: number;
  rootReadOnly: boolean;
  workspaceReadOnly: boolean;
  /** Network interfaces other than loopback. */
  interfaces: string[];
  /** Whether the network proxy's socket is here and answers. */
  egress: boolean;
  /** Programs that the agent needs and the image lacks. */
  missing: string[];
  /** First names in the work tree, sorted. */
  entries: string[];
}

/** How many names of the work tree are reported. */
export const MAX_CONFINEMENT_ENTRIES = 500;

/** Every message of the agent. `call` is the number of the request it belongs to; `hello` comes first and once. */
export type AgentMessage =
  | ({ type: 'hello'; call: 0; protocol: number } & Confinement)
  | { type: 'spawned'; call: number; group: number }
  | { type: 'refused'; call: number; reason: string }
  | { type: 'output'; call: number; stream: 'stdout' | 'stderr'; skipped: number }
  | { type: 'exit'; call: number; exitCode: number | null; signal: string | null; oomKilled: boolean }
  | { type: 'result'; call: number; value: unknown }
  | { type: 'error'; call: number; code: FileErrorCode; message: string };
