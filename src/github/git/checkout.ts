import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { removeFolder } from '../../remove-folder.ts';
import type { Repository } from '../repository.ts';
import { linkObjects } from './link-objects.ts';
import { isPartial, openMirror, withMirrorLock, type Mirror, type MirrorSettings } from './mirror.ts';
import { resolveTarget, type CheckoutTarget, type ResolvedTarget } from './resolve-target.ts';
import { createSessionGitDir } from './session-git-dir.ts';
import { tidyMirror } from './tidy-mirror.ts';
import { writeWorkTree } from './write-work-tree.ts';

export interface CheckoutRequest {
  repository: Repository;
  target: CheckoutTarget;
  /** Names the folder; letters, digits, dot, dash and underscore. An earlier checkout of this name is replaced. */
  session: string;
  settings: MirrorSettings;
  signal?: AbortSignal;
}

export interface Checkout {
  workTree: string;
  /** Outside the work tree. Nothing a sandbox can write to. */
  gitDir: string;
  /** Head of the branch the work will be merged into; the same as `headSha` when that branch is checked out. */
  baseSha: string;
  /** The commit the work tree was made from. */
  headSha: string;
  /** The full ref that was asked for, such as `refs/pull/7/head`. */
  ref: string;
  mirror: Mirror;
}

/** Makes a session's own work tree and git directory from the repository's mirror, fetching only what is new. */
export async function openCheckout(request: CheckoutRequest): Promise<Checkout> {
  const { repository, target, session, settings, signal } = request;
  const root = sessionRoot(settings.dataDir, session);
  const [workTree, gitDir] = [join(root, 'tree'), join(root, 'git')];
  const mirror = await openMirror(repository, settings, signal);

  await removeFolder(root);
  await mkdir(workTree, { recursive: true });
  const resolved = await withMirrorLock(
    mirror,
    async () => {
      const found = await resolveTarget(mirror, repository.defaultBranch, target, signal);
      await tidyMirror(mirror, signal);
      await createSessionGitDir(mirror, gitDir, { sha: found.headSha, branch: localBranch(found) });
      return found;
    },
    signal,
  );
  await writeWorkTree(mirror, { workTree, index: join(gitDir, 'index'), sha: resolved.headSha }, signal);
  // What was fetched for this tree only now is not in the session's git directory yet.
  if (isPartial(mirror)) await linkObjects(mirror.gitDir, gitDir);
  return { workTree, gitDir, mirror, ...resolved };
}

export async function removeCheckout(dataDir: string, session: string): Promise<void> {
  await removeFolder(sessionRoot(dataDir, session));
}

/** The folder of a session's work tree and git directory. */
export function sessionRoot(dataDir: string, session: string): string {
  if (!/^\w[\w.-]*$/.test(session)) throw new Error(`not a folder name: ${session}`);
  return resolve(dataDir, 'sessions', session);
}

function localBranch({ ref }: ResolvedTarget): string | undefined {
  if (ref.startsWith('refs/heads/')) return ref.slice('refs/heads/'.length);
  const pull = /^refs\/pull\/(\d+)\/head$/.exec(ref);
  return pull ? `pull-${pull[1]}` : undefined;
}
