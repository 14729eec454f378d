import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Repository } from '../repository.ts';
import type { TokenProvider } from '../token-provider.ts';
import { withDirLock } from './dir-lock.ts';
import { git, gitText, GitError, type GitOptions } from './git.ts';
import type { GitCredentials } from './git-environment.ts';

export interface MirrorSettings {
  /** Everything of ours on this machine is below it. */
  dataDir: string;
  /** Absent for a repository that needs no credentials. */
  tokens?: TokenProvider;
  /** `checkout.fullBelowMb`: larger repositories are mirrored without old blobs. Default 500. */
  fullBelowMb?: number;
  /** A git directory on this machine, such as the runner's, whose objects need no fetching. It is only read. */
  borrowFrom?: string;
}

/** One bare copy of a repository, shared by all its sessions. */
export interface Mirror {
  repository: Pick<Repository, 'owner' | 'repo' | 'cloneUrl' | 'sizeMb'> & { id: number | string };
  gitDir: string;
  settings: MirrorSettings;
}

/** Blob bytes go to disk and back as they are, whatever `.gitattributes` says: this file outranks those of a tree. */
export const NO_CONVERSION = '* -text -eol -crlf -ident -filter -working-tree-encoding\n';

const DEFAULT_FULL_BELOW_MB = 500;

/** Opens the mirror under the data directory, making it if this is the first session. Fetches nothing. */
export async function openMirror(
  repository: Mirror['repository'],
  settings: MirrorSettings,
  signal?: AbortSignal,
): Promise<Mirror> {
  const root = resolve(settings.dataDir, 'mirrors');
  const mirror: Mirror = { repository, gitDir: join(root, `${repository.id}.git`), settings };
  await mkdir(root, { recursive: true, mode: 0o700 });
  await withMirrorLock(mirror, () => create(mirror, signal), signal);
  return mirror;
}

/** Sessions change one mirror one after the other; reading it needs no lock. */
export async function withMirrorLock<T>(mirror: Mirror, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return await withDirLock(`${mirror.gitDir}.lock`, work, signal);
}

/** Brings refs and the objects they need. False when the remote has no such ref or commit. */
export async function fetchRefs(
  mirror: Mirror,
  refspecs: string[],
  flags: string[] = [],
  signal?: AbortSignal,
): Promise<boolean> {
  const { cloneUrl } = mirror.repository;
  const filter = isPartial(mirror) ? ['--filter=blob:none'] : [];
  const fixed = ['--quiet', '--no-write-fetch-head', '--no-auto-gc', '--no-tags', '--force'];
  // A promisor must be a named remote; its URL is the plain one.
  const remote = isPartial(mirror) ? 'origin' : cloneUrl;
  try {
    await git(['fetch', ...fixed, ...filter, ...(await depthOf(mirror, flags)), remote, ...refspecs], {
      ...(await mirrorOptions(mirror)),
      signal,
    });
    return true;
  } catch (error) {
    if (error instanceof GitError && isMissingRef(error.stderr)) return false;
    throw error;
  }
}

/** True for history that ends before the first commit, as a runner's usually does. */
export async function isShallow({ gitDir }: Mirror): Promise<boolean> {
  return (await stat(join(gitDir, 'shallow')).catch(() => undefined)) !== undefined;
}

/** How git is run on the mirror: with credentials of this moment, since a partial one may fetch at any time. */
export async function mirrorOptions(mirror: Mirror): Promise<GitOptions> {
  return { gitDir: mirror.gitDir, credentials: await credentialsOf(mirror) };
}

export async function hasCommit({ gitDir }: Mirror, sha: string, signal?: AbortSignal): Promise<boolean> {
  // rev-list reads the commit itself, so a borrowed object that is gone counts as missing.
  const { exitCode } = await git(['cat-file', '-e', `${sha}^{commit}`], { gitDir, answers: [0, 1, 128], signal });
  return exitCode === 0;
}

export async function resolveRef(mirror: Mirror, ref: string, signal?: AbortSignal): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
  const { exitCode, stdout } = await git(args, { gitDir: mirror.gitDir, answers: [0, 1, 128], signal });
  return exitCode === 0 ? stdout.toString().trim() : undefined;
}

export function isPartial({ repository, settings }: Mirror): boolean {
  return !settings.borrowFrom && repository.sizeMb >= (settings.fullBelowMb ?? DEFAULT_FULL_BELOW_MB);
}

/** Into shallow history only tips are fetched, else a fetch would bring all that the lender left out. */
async function depthOf(mirror: Mirror, flags: string[]): Promise<string[]> {
  return flags.length === 0 && (await isShallow(mirror)) ? ['--depth=1'] : flags;
}

async function credentialsOf({ repository, settings }: Mirror): Promise<GitCredentials | undefined> {
  const { tokens } = settings;
  if (!tokens || !/^https?:/.test(repository.cloneUrl)) return undefined;
  return { url: repository.cloneUrl, token: await tokens(), renew: () => tokens({ fresh: true }) };
}

/** Made beside its place and moved there whole, so a killed process leaves no half mirror. */
async function create(mirror: Mirror, signal?: AbortSignal): Promise<void> {
  if (await stat(mirror.gitDir).catch(() => undefined)) return;
  const gitDir = `${mirror.gitDir}.new`;
  await rm(gitDir, { recursive: true, force: true });
  await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=main'], { gitDir, signal });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'attributes'), NO_CONVERSION);
  if (isPartial(mirror)) await promise(gitDir, mirror.repository.cloneUrl, signal);
  if (mirror.settings.borrowFrom) await borrow(gitDir, mirror.settings.borrowFrom, signal);
  await rename(gitDir, mirror.gitDir);
}

async function promise(gitDir: string, cloneUrl: string, signal?: AbortSignal): Promise<void> {
  const settings = [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', cloneUrl],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
  ];
  for (const setting of settings) await git(['config', ...setting], { gitDir, signal });
}

/**
 * Objects through `alternates`, history's known end through `shallow`. The lender's HEAD becomes a ref, so that a
 * fetch names it as something we have.
 */
async function borrow(gitDir: string, lender: string, signal?: AbortSignal): Promise<void> {
  const objects = resolve(await commonDir(lender), 'objects');
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${objects}\n`);
  const shallow = await readFile(join(await commonDir(lender), 'shallow')).catch(() => undefined);
  if (shallow) await writeFile(join(gitDir, 'shallow'), shallow);
  const head = await gitText(['rev-parse', '--verify', '--quiet', 'HEAD'], { gitDir: lender, signal }).catch(() => '');
  if (head) await git(['update-ref', 'refs/borrowed/head', head], { gitDir, signal });
}

/** A linked work tree keeps its objects in the main one's git directory. */
async function commonDir(gitDir: string): Promise<string> {
  const common = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => '.');
  return resolve(gitDir, common.trim());
}

/** `couldn't find remote ref` for a name, `not our ref` for a commit. LC_ALL=C keeps git's words English. */
function isMissingRef(stderr: string): boolean {
  return /couldn't find remote ref|not our ref|unadvertised object|no such remote ref/i.test(stderr);
}
