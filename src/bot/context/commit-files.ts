import { posix } from 'node:path';
import { git, gitText } from '../../github/git/git.ts';
import type { SkillFileEntry, SkillFiles } from '../../seams/skills/skill-files.ts';
import type { FolderFile } from './lay-out-folder.ts';
import type { BaseCommit } from './read-base-files.ts';

interface Found {
  readonly oid: string;
  readonly type: 'blob' | 'tree';
  readonly bytes: number;
}

/** What is larger is no instruction. */
const MAX_TEXT_BYTES = 1_000_000;
const LINK = '120000';

/** The files of one commit by their paths in it, links followed within it (X6). Never those of a work tree. */
export class CommitFiles implements SkillFiles {
  readonly #commit: BaseCommit;
  /** A commit does not change: what was found stays. */
  readonly #found = new Map<string, Promise<Found | undefined>>();

  /** `expected` are paths that will be asked for: one process looks for all of them, from now on. */
  constructor(commit: BaseCommit, expected: readonly string[] = []) {
    this.#commit = commit;
    const found = this.#findAll(expected);
    expected.forEach((path, at) => void this.#remember(path, async () => (await found)[at]));
  }

  async list(path: string, signal?: AbortSignal): Promise<readonly SkillFileEntry[] | undefined> {
    const tree = await this.#find(path);
    if (tree?.type !== 'tree') return undefined;
    const entries = await this.#entries(tree.oid, [], signal);
    return Promise.all(
      entries.map(async ({ mode, type, name }): Promise<SkillFileEntry> => {
        if (mode !== LINK) return { name, type: KINDS[type] ?? 'other' };
        const target = await this.#find(posix.join(path, name));
        return { name, type: target ? KINDS[target.type]! : 'broken' };
      }),
    );
  }

  async read(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const blob = await this.#find(path);
    if (blob?.type !== 'blob' || blob.bytes > MAX_TEXT_BYTES) return undefined;
    return (await this.#bytes(blob.oid, signal)).toString('utf8');
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#find(path)) !== undefined;
  }

  /** All regular files below a folder, with their paths in it. */
  async *below(path: string, signal?: AbortSignal): AsyncGenerator<FolderFile> {
    const tree = await this.#find(path);
    if (tree?.type !== 'tree') return;
    for (const { mode, type, oid, name } of await this.#entries(tree.oid, ['-r'], signal)) {
      if (type !== 'blob' || mode === LINK) continue;
      yield { path: name, bytes: await this.#bytes(oid, signal), isExecutable: mode === '100755' };
    }
  }

  async #entries(oid: string, flags: string[], signal: AbortSignal | undefined) {
    const listed = await gitText(['ls-tree', '-z', ...flags, oid], this.#place(signal));
    return listed
      .split('\0')
      .filter(Boolean)
      .map((line) => {
        const [, mode = '', type = '', entry = '', name = ''] = /^(\d+) (\w+) (\w+)\t([^]*)$/.exec(line) ?? [];
        return { mode, type, oid: entry, name };
      });
  }

  #find(path: string): Promise<Found | undefined> {
    return this.#found.get(path) ?? this.#remember(path, async () => (await this.#findAll([path]))[0]);
  }

  /** A failure is for whoever asks now, and the next one looks again. */
  #remember(path: string, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const looking = look();
    this.#found.set(path, looking);
    looking.catch(() => this.#found.delete(path));
    return looking;
  }

  /** A name with a line end would be two questions. An answer other than an object is followed by a line that says more. */
  async #findAll(paths: readonly string[]): Promise<(Found | undefined)[]> {
    const asked = paths.filter((path) => !/[\0\n]/.test(path));
    if (asked.length === 0) return paths.map(() => undefined);
    const input = asked.map((path) => `${this.#commit.sha}:${path}\n`).join('');
    const args = ['cat-file', '--batch-check', '--follow-symlinks'];
    const lines = (await gitText(args, { ...this.#place(), input })).split('\n');
    const answers = new Map(asked.map((path) => [path, nextAnswer(lines)]));
    return paths.map((path) => answers.get(path));
  }

  async #bytes(oid: string, signal: AbortSignal | undefined): Promise<Buffer> {
    return (await git(['cat-file', 'blob', oid], this.#place(signal))).stdout;
  }

  #place(signal = this.#commit.signal) {
    const { gitDir } = this.#commit;
    return { gitDir, ...(signal && { signal }) };
  }
}

const KINDS: Readonly<Record<string, SkillFileEntry['type']>> = { blob: 'file', tree: 'directory' };

function nextAnswer(lines: string[]): Found | undefined {
  const line = lines.shift() ?? '';
  const [, oid, type, bytes] = /^([0-9a-f]{40,64}) (blob|tree) (\d+)$/.exec(line) ?? [];
  if (oid !== undefined) return { oid, type: type as Found['type'], bytes: Number(bytes) };
  if (/^(?:symlink|dangling|loop|notdir) \d+$/.test(line)) lines.shift();
  return undefined;
}
