import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git, GitError, spawnGit, type GitChild } from '../git/git.ts';
import type { BaseTree } from './base-tree.ts';

/** Answers which paths the base commit's `.gitignore` files leave out. Paths are latin1, as in `BaseTree`. */
export interface IgnoreRules {
  ignored(paths: { path: string; isFolder: boolean }[]): Promise<boolean[]>;
  close(): Promise<void>;
}

/**
 * Git itself decides, in a scratch folder that holds nothing but the base's own `.gitignore` files: what the sandbox
 * wrote into those of the work tree must not decide what is published.
 */
export async function openIgnoreRules(gitDir: string, base: BaseTree, signal?: AbortSignal): Promise<IgnoreRules> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-ignore-'));
  await writeIgnoreFiles(gitDir, base, folder, signal);
  const args = ['check-ignore', '--no-index', '--verbose', '--non-matching', '-z', '--stdin'];
  // It takes no literal pathspecs; with `./` in front nothing in a name is special.
  const child = spawnGit(args, { gitDir, workTree: folder, env: { GIT_LITERAL_PATHSPECS: '0' }, signal });
  // A killed or failed child shows by its missing answers.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const answers = readAnswers(child);

  return {
    async ignored(paths) {
      for (const { path, isFolder } of paths) if (isFolder) await makeFolder(folder, path);
      child.stdin.write(Buffer.from(paths.map(({ path }) => `./${path}\0`).join(''), 'latin1'));
      const results: boolean[] = [];
      while (results.length < paths.length) results.push(await nextAnswer(answers, signal));
      return results;
    },
    async close() {
      child.stdin.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeIgnoreFiles(gitDir: string, base: BaseTree, folder: string, signal?: AbortSignal): Promise<void> {
  for (const [path, { mode, sha }] of base.files) {
    if (!/(^|\/)\.gitignore$/.test(path) || !mode.startsWith('100')) continue;
    const { stdout } = await git(['cat-file', 'blob', sha], { gitDir, signal });
    await makeFolder(folder, dirname(path));
    await writeFile(below(folder, path), stdout);
  }
}

/** A rule such as `build/` asks the file system whether the path is a folder. */
async function makeFolder(root: string, path: string): Promise<void> {
  await mkdir(below(root, path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
  });
}

function below(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** Four fields a path: source, line, pattern, path. No source means no rule; a `!` pattern takes it back in. */
async function* readAnswers(child: GitChild): AsyncGenerator<boolean, void> {
  let rest = '';
  let fields: string[] = [];
  for await (const chunk of child.stdout) {
    const parts = (rest + (chunk as Buffer).toString('latin1')).split('\0');
    rest = parts.pop()!;
    fields.push(...parts);
    const whole = fields.length - (fields.length % 4);
    for (let at = 0; at < whole; at += 4) yield fields[at] !== '' && !fields[at + 2]!.startsWith('!');
    fields = fields.slice(whole);
  }
}

async function nextAnswer(answers: AsyncGenerator<boolean, void>, signal?: AbortSignal): Promise<boolean> {
  const { value } = await answers.next();
  signal?.throwIfAborted();
  if (value === undefined) throw new GitError('check-ignore', null, 'it ended early');
  return value;
}
