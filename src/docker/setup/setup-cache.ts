import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../remove-folder.ts';
import { placePaths } from './place-paths.ts';

/** All that decides what setup leaves. */
export interface SetupKey {
  readonly image: string;
  /** Results of one branch are not given to another: whoever may write to a branch could plant code in them. */
  readonly branch: string;
  readonly commands: readonly string[];
  readonly lockfiles: string;
}

/** Results kept per repository; the longest unused go first. */
const MAX_KEPT = 5;
const PATHS = 'paths.json';
const CONTENT = 'content';
/** Of the names of results that are still being put together. */
export const DRAFT = '.draft-';

/** What setup left in trees of one repository. No container ever sees this folder: sessions get copies. */
export class SetupCache {
  readonly #folder: string;
  readonly #boot: string;

  /** `boot` names this life of this worker, for the sweep of what it leaves unfinished. */
  constructor(folder: string, boot: string) {
    this.#folder = folder;
    this.#boot = boot;
  }

  /** The kept paths, or undefined where there is no such result. */
  async find(key: SetupKey): Promise<readonly string[] | undefined> {
    const text = await readFile(join(this.#entry(key), PATHS), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  }

  async copyInto(tree: string, key: SetupKey, paths: readonly string[], now: Date): Promise<void> {
    const entry = this.#entry(key);
    await utimes(entry, now, now);
    await placePaths(paths, { from: join(entry, CONTENT), to: tree, into: 'work tree', how: 'copy' });
  }

  /** Takes these paths out of a tree. Whoever keeps the same result first wins; a half-written one is never seen. */
  async keep(key: SetupKey, tree: string, paths: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = await mkdtemp(join(this.#folder, `${DRAFT}${this.#boot}.`));
    try {
      await mkdir(join(draft, CONTENT));
      await placePaths(paths, { from: tree, to: join(draft, CONTENT), into: 'folder', how: 'move' });
      await writeFile(join(draft, PATHS), JSON.stringify(paths));
      await rename(draft, this.#entry(key)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EEXIST') throw cause;
      });
    } finally {
      await removeFolder(draft);
    }
    await this.#forgetOldest();
  }

  async #forgetOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => !name.startsWith('.'));
    const entries = await Promise.all(
      names.map(async (name) => ({
        path: join(this.#folder, name),
        usedAt: (await stat(join(this.#folder, name))).mtimeMs,
      })),
    );
    const old = entries.sort((a, b) => b.usedAt - a.usedAt).slice(MAX_KEPT);
    for (const { path } of old) await removeFolder(path);
  }

  #entry({ image, branch, commands, lockfiles }: SetupKey): string {
    const identity = JSON.stringify([image, branch, commands, lockfiles]);
    return join(this.#folder, createHash('sha256').update(identity).digest('hex').slice(0, 32));
  }
}
