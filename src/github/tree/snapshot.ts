import { createHash } from 'node:crypto';
import { snapshotBroken, snapshotTooLarge } from '../errors.ts';
import type { Checkout } from '../git/checkout.ts';
import { obtainCommit } from '../git/obtain-commit.ts';
import { mergeOnto } from './merge-onto.ts';
import { restoreChanges } from './restore-changes.ts';
import { contentBytes, packSnapshot, unpackSnapshot } from './snapshot-format.ts';
import { stageChanges } from './stage-changes.ts';
import { readTreeChanges } from './tree-changes.ts';
import type { TreeChange } from './types.ts';

/** The changes of a work tree, to be stored and put back on any machine (C7, U8, K1). */
export interface Snapshot {
  /** The commit the changes were made on. */
  readonly base: string;
  /** SHA-256 of `bytes`, in hex. */
  readonly digest: string;
  readonly bytes: Buffer;
}

/**
 * `conflict`: the tree's commit is another one, and `paths` do not merge with it. Nothing was put back; `changes` would lay
 * the merge out with git's markers.
 */
export type RestoreResult =
  | { readonly kind: 'restored' }
  | { readonly kind: 'conflict'; readonly paths: string[]; readonly changes: TreeChange[] };

/**
 * Keeps what the work tree changed, deleted and added beside what its commit ignores, modes and links included. Undefined
 * where there is nothing. Throws `SNAPSHOT_TOO_LARGE` where the contents are more than `maxBytes`.
 */
export async function takeSnapshot(
  checkout: Pick<Checkout, 'workTree' | 'gitDir' | 'headSha'>,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
): Promise<Snapshot | undefined> {
  const { changes } = await readTreeChanges(checkout, signal);
  return await snapshotOf({ base: checkout.headSha, changes }, maxBytes);
}

/** The same of changes that are read already. */
export async function snapshotOf(
  { base, changes }: { base: string; changes: TreeChange[] },
  maxBytes: number,
): Promise<Snapshot | undefined> {
  if (changes.length === 0) return undefined;
  const size = contentBytes(changes);
  if (size > maxBytes) throw snapshotTooLarge(size, maxBytes);
  const bytes = await packSnapshot({ base, changes });
  return { base, digest: digestOf(bytes), bytes };
}

/**
 * Puts kept changes onto a fresh work tree, uncommitted as they were; on another commit than theirs by a three-way merge.
 * What was stored is not believed: throws `SNAPSHOT_BROKEN` where it is not what was taken.
 */
export async function restoreSnapshot(
  checkout: Pick<Checkout, 'workTree' | 'gitDir' | 'headSha' | 'mirror'>,
  snapshot: { readonly base: string; readonly digest: string; readonly bytes: Uint8Array },
  signal?: AbortSignal,
): Promise<RestoreResult> {
  const { changes, base } = await unpackSnapshot(snapshot.bytes);
  if (digestOf(snapshot.bytes) !== snapshot.digest || base !== snapshot.base) throw snapshotBroken();
  if (base === checkout.headSha) {
    await restoreChanges(checkout, changes, signal);
    return { kind: 'restored' };
  }
  await obtainCommit(checkout, base, signal);
  const staged = await stageChanges({ gitDir: checkout.gitDir, headSha: base }, changes, signal);
  const merge = await mergeOnto(checkout, staged, checkout.headSha, signal);
  if (merge.kind === 'conflict') return merge;
  await restoreChanges(checkout, merge.staged.changes, signal);
  return { kind: 'restored' };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
