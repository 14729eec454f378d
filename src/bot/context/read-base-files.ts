import { git, gitText } from '../../github/git/git.ts';
import { MANIFESTS } from '../fix/verify/detect-test-commands.ts';
import type { Manifests } from '../fix/verify/detect-test-commands.ts';
import type { GitOptions } from '../../github/git/git.ts';
import { isPartial, mirrorOptions } from '../../github/git/mirror.ts';
import type { Mirror } from '../../github/git/mirror.ts';
import { readBlobs } from '../../github/git/read-blobs.ts';
import { MAX_INSTRUCTION_CHARS, MAX_TREE_CHARS, keepHead } from './data-limits.ts';

/** Files by which a repository instructs whoever works on it, in the order they are shown. */
const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', 'CONTRIBUTING.md', '.github/CONTRIBUTING.md', '.github/dsh.md'];
/** A manifest is small; what is larger is not one. */
const MAX_FILE_BYTES = 1_000_000;

/** Reads at a commit, never from a work tree: what the sandbox wrote, or a pull request brought, does not instruct (X6). */
export interface BaseCommit {
  readonly gitDir: string;
  readonly sha: string;
  readonly signal?: AbortSignal;
  /** Where the commit is not the one that lies in the work tree: a partial mirror has to fetch files of it. */
  readonly mirror?: Mirror;
}

export async function readManifests(base: BaseCommit): Promise<Manifests> {
  return Object.fromEntries(await readRootFiles(base, MANIFESTS));
}

/** The repository's instructions, 32 KiB in all; undefined where there are none. */
export async function readInstructions(base: BaseCommit): Promise<string | undefined> {
  const files = [...(await readRootFiles(base, INSTRUCTIONS))];
  const found = files.map(([path, text]) => ({ path, text: text.trim() })).filter(({ text }) => text !== '');
  if (found.length === 0) return undefined;
  const text = found.map((file) => `# ${file.path}\n\n${file.text}`).join('\n\n');
  return keepHead(text, MAX_INSTRUCTION_CHARS, 'read the files themselves for the rest');
}

/** The tree, two levels deep, as paths; folders end in a slash. */
export async function readTreeOutline(base: BaseCommit): Promise<string> {
  const { gitDir, sha, signal } = base;
  const listed = await gitText(['ls-tree', '-r', '-z', '--name-only', sha], { gitDir, signal });
  const outline = new Set(listed.split('\0').filter(Boolean).map(outlinePath));
  return keepHead([...outline].join('\n'), MAX_TREE_CHARS, 'list the folders for the rest');
}

function outlinePath(path: string): string {
  const parts = path.split('/');
  return parts.length <= 2 ? path : `${parts.slice(0, 2).join('/')}/`;
}

/** Text of a file at the commit; undefined where there is none, or none that is a text of ordinary size. */
export async function readBaseFile(base: BaseCommit, path: string): Promise<string | undefined> {
  const options = { ...(await optionsOf(base)), answers: [0, 128] };
  const { exitCode, stdout } = await git(['cat-file', 'blob', `${base.sha}:${path}`], options);
  if (exitCode !== 0 || stdout.length > MAX_FILE_BYTES) return undefined;
  return stdout.toString('utf8');
}

async function optionsOf({ gitDir, signal, mirror }: BaseCommit): Promise<GitOptions> {
  const { credentials } = mirror && isPartial(mirror) ? await mirrorOptions(mirror) : {};
  return { gitDir, signal, credentials };
}

/** The same for files whose names we chose: those that are there, in the order asked for, by one process for all. */
async function readRootFiles(base: BaseCommit, paths: readonly string[]): Promise<Map<string, string>> {
  const names = paths.map((path) => `${base.sha}:${path}`);
  const blobs = await readBlobs(names, await optionsOf(base));
  const texts = paths.map((path, at) => [path, blobs[at]] as const);
  return new Map(
    texts.flatMap(([path, bytes]) =>
      bytes === undefined || bytes.length > MAX_FILE_BYTES ? [] : [[path, bytes.toString('utf8')]],
    ),
  );
}

/** Subjects of the last commits, newest first. */
export async function readRecentSubjects({ gitDir, sha, signal }: BaseCommit, count = 50): Promise<string[]> {
  return (await gitText(['log', `-${count}`, '--format=%s', sha], { gitDir, signal })).split('\n').filter(Boolean);
}
