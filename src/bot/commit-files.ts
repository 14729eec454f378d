import { posix } from 'node:path';
import { git, gitText } from '../github/git/git.ts';
import type { SkillFileEntry, SkillFiles } from '../seams/skills/skill-files.ts';
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

  constructor(commit: BaseCommit) {
    this.#commit = commit;
  }

  async list(path: string, signal?: AbortSignal): Promise<readonly SkillFileEntry[] | undefined> {
    const tree = await this.#find(path, signal);
    if (tree?.type !== 'tree') return undefined;
    const entries = await this.#entries(tree.oid, [], signal);
    return Promise.all(
      entries.map(async ({ mode, type, name }): Promise<SkillFileEntry> => {
        if (mode !== LINK) return { name, type: KINDS[type] ?? 'other' };
        const target = await this.#find(posix.join(path, name), signal);
        return { name, type: target ? KINDS[target.type]! : 'broken' };
      }),
    );
  }

  async read(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const blob = await this.#find(path, signal);
    if (blob?.type !== 'blob' || blob.bytes > MAX_TEXT_BYTES) return undefined;
    return (await this.#bytes(blob.oid, signal)).toString('utf8');
  }

  async exists(path: string, signal?: AbortSignal): Promise<boolean> {
    return (await this.#find(path, signal)) !== undefined;
  }

  /** All regular files below a folder, with their paths in it. */
  async *below(path: string, signal?: AbortSignal): AsyncGenerator<FolderFile> {
    const tree = await this.#find(path, signal);
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

  /** A name with a line end would be two questions. */
  async #find(path: string, signal: AbortSignal | undefined): Promise<Found | undefined> {
    if (/[\0\n]/.test(path)) return undefined;
    const input = `${this.#commit.sha}:${path}\n`;
    const args = ['cat-file', '--batch-check', '--follow-symlinks'];
    const [answer = ''] = (await gitText(args, { ...this.#place(signal), input })).split('\n');
    const [, oid, type, bytes] = /^([0-9a-f]{40,64}) (blob|tree) (\d+)$/.exec(answer) ?? [];
    return oid === undefined ? undefined : { oid, type: type as Found['type'], bytes: Number(bytes) };
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
