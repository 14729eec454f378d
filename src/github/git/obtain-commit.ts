import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitMissing } from '../errors.ts';
import { fullName } from '../repository.ts';
import type { Checkout } from './checkout.ts';
import { git, GitError } from './git.ts';
import { linkObjects } from './link-objects.ts';
import { mergeBase } from './merge-base.ts';
import { fetchRefs, hasCommit, isShallow, withMirrorLock } from './mirror.ts';

type Session = Pick<Checkout, 'gitDir' | 'mirror'>;

/** Brings a commit of the repository into the session's git directory. Throws `COMMIT_MISSING`. */
export async function obtainCommit({ gitDir, mirror }: Session, sha: string, signal?: AbortSignal): Promise<void> {
  await withMirrorLock(
    mirror,
    async () => {
      const refspec = `+${sha}:refs/kept/${sha}`;
      const found = (await hasCommit(mirror, sha, signal)) || (await fetchRefs(mirror, [refspec], [], signal));
      if (!found) throw commitMissing(fullName(mirror.repository), sha);
      await linkObjects(mirror.gitDir, gitDir);
    },
    signal,
  );
}

/** Whether `later` only adds to `earlier`. Both are brought in; a shallow history is deepened until it tells. */
export async function isAncestor(
  session: Session,
  earlier: string,
  later: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { gitDir, mirror } = session;
  await obtainCommit(session, later, signal);
  if (await isShallow(mirror)) await joinHistories(session, earlier, later, signal);
  const args = ['merge-base', '--is-ancestor', earlier, later];
  return (await git(args, { gitDir, answers: [0, 1], signal })).exitCode === 0;
}

async function joinHistories({ gitDir, mirror }: Session, a: string, b: string, signal?: AbortSignal): Promise<void> {
  await mergeBase({ mirror, baseSha: a, headSha: b }, signal).catch((error: unknown) => {
    if (error instanceof GitError || signal?.aborted) throw error;
  });
  await linkObjects(mirror.gitDir, gitDir);
  await copyFile(join(mirror.gitDir, 'shallow'), join(gitDir, 'shallow')).catch(() => {});
}
