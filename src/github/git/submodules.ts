import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Checkout } from './checkout.ts';
import { git, GitError } from './git.ts';
import { fetchRefs, hasCommit, mirrorOptions, openMirror, withMirrorLock } from './mirror.ts';
import { submoduleSource } from './submodule-source.ts';
import { writeWorkTree } from './write-work-tree.ts';

export interface Submodule {
  path: string;
  sha: string;
  url?: string;
  /** `refused`: of another owner or server, or named by nobody we trust. `failed`: it could not be read. Its folder is empty then. */
  state: 'fetched' | 'refused' | 'failed';
}

/**
 * Fills the submodule folders of a fresh checkout from repositories of the same owner, or of `owners` (config).
 * Submodules of submodules stay empty. With `asInBase` only what the base commit names as well is fetched, at whatever
 * commit: else a stranger's head could have a private repository of the owner laid into its tree.
 */
export async function fetchSubmodules(
  checkout: Checkout,
  owners: string[] = [],
  signal?: AbortSignal,
  asInBase = false,
): Promise<Submodule[]> {
  const links = await listLinks(checkout, signal);
  if (links.length === 0) return [];
  const urls = await readUrls(checkout, signal);
  const known = asInBase ? await readUrls({ ...checkout, headSha: checkout.baseSha }, signal) : urls;
  const isKnown = (url: string | undefined) => url !== undefined && [...known.values()].includes(url);
  const filled: Submodule[] = [];
  for (const link of links) {
    const url = urls.get(link.path);
    const wanted = isKnown(url) ? url : undefined;
    filled.push({ ...link, ...(url && { url }), state: await fill(checkout, link, wanted, owners, signal) });
  }
  return filled;
}

interface Link {
  path: string;
  sha: string;
}

async function listLinks({ gitDir, headSha }: Checkout, signal?: AbortSignal): Promise<Link[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', headSha], { gitDir, signal });
  const entries = stdout.toString().matchAll(/160000 commit ([0-9a-f]{40})\t([^\0]+)\0/g);
  return [...entries].map(([, sha, path]) => ({ sha: sha!, path: path! }));
}

/** Path → URL of `.gitmodules`. Only these two settings are read; the file can bring others. */
async function readUrls({ gitDir, headSha, mirror }: Checkout, signal?: AbortSignal): Promise<Map<string, string>> {
  const args = ['config', '--blob', `${headSha}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.(path|url)$'];
  // With credentials: of the base a partial repository has to fetch it.
  const options = { ...(await mirrorOptions(mirror)), gitDir, signal };
  const { stdout } = await git(args, { ...options, answers: [0, 1, 128] });
  const settings = new Map(stdout.toString().split('\0').map(splitSetting));
  const paths = [...settings].filter(([key]) => key.endsWith('.path'));
  return new Map(paths.map(([key, path]) => [path, settings.get(key.replace(/path$/, 'url')) ?? '']));
}

function splitSetting(setting: string): [string, string] {
  const end = setting.indexOf('\n');
  return [setting.slice(0, end), setting.slice(end + 1)];
}

async function fill(
  checkout: Checkout,
  { path, sha }: Link,
  url: string | undefined,
  owners: string[],
  signal?: AbortSignal,
): Promise<Submodule['state']> {
  const source = url ? submoduleSource(url, checkout.mirror.repository, owners) : undefined;
  if (!source) return 'refused';
  const id = `submodule-${digestOf(source.cloneUrl)}`;
  // What a runner lends are objects of the parent repository.
  const settings = { ...checkout.mirror.settings, borrowFrom: undefined };
  const mirror = await openMirror({ ...source, id, sizeMb: 0 }, settings, signal);
  try {
    const refspecs = [`+${sha}:refs/kept/${sha}`];
    const fetch = () => fetchRefs(mirror, refspecs, ['--depth=1'], signal);
    const present = (await hasCommit(mirror, sha, signal)) || (await withMirrorLock(mirror, fetch, signal));
    if (!present) return 'failed';
  } catch (error) {
    if (error instanceof GitError) return 'failed';
    throw error;
  }
  const index = join(checkout.gitDir, `index-submodule-${digestOf(path)}`);
  await writeWorkTree(mirror, { workTree: join(checkout.workTree, path), index, sha }, signal);
  return 'fetched';
}

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
