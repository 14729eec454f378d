import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { snapshotBroken } from '../errors.ts';
import { blobSha } from './blob-sha.ts';
import { isSafePath } from './safe-path.ts';
import type { TreeChange, WrittenFile } from './types.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const MAGIC = 'dsh-snapshot 1\n';
/** More than any limit of ours lets in: a stored snapshot that unpacks to more is no snapshot of ours. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

const path = z.string().refine(isSafePath, 'a path that leaves the work tree');
const Header = z.strictObject({
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  changes: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('deleted'), path }),
      z.strictObject({
        kind: z.enum(['added', 'modified']),
        path,
        mode: z.enum(['100644', '100755', '120000']),
        size: z.number().int().nonnegative(),
      }),
    ]),
  ),
});
type Header = z.infer<typeof Header>;

export interface UnpackedSnapshot {
  readonly base: string;
  readonly changes: TreeChange[];
}

/** How many bytes a snapshot holds before it is compressed, its header aside. Pure. */
export function contentBytes(changes: readonly TreeChange[]): number {
  return changes.reduce((sum, change) => sum + (change.kind === 'deleted' ? 0 : change.bytes.byteLength), 0);
}

/**
 * One buffer that holds changes whole: zstd over the line `dsh-snapshot 1`, a line of JSON (base commit; path, mode and
 * size of each change), and then the contents one after the other. The same changes give the same bytes.
 */
export async function packSnapshot({ base, changes }: UnpackedSnapshot): Promise<Buffer> {
  const header: Header = { base, changes: changes.map(describe) };
  const contents = changes.flatMap((change) => (change.kind === 'deleted' ? [] : [change.bytes]));
  return await compress(Buffer.concat([Buffer.from(`${MAGIC}${JSON.stringify(header)}\n`), ...contents]));
}

function describe(change: TreeChange): Header['changes'][number] {
  const { kind, path } = change;
  return kind === 'deleted' ? { kind, path } : { kind, path, mode: change.mode, size: change.bytes.byteLength };
}

/** Reads what was stored, believing nothing of it: throws `SNAPSHOT_BROKEN`, also for a path that leaves the tree (X10). */
export async function unpackSnapshot(packed: Uint8Array): Promise<UnpackedSnapshot> {
  try {
    return read(await decompress(packed, { maxOutputLength: MAX_UNPACKED_BYTES }));
  } catch (cause) {
    throw snapshotBroken(cause);
  }
}

function read(bytes: Buffer): UnpackedSnapshot {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it does not begin as a snapshot');
  const end = bytes.indexOf('\n', MAGIC.length);
  const { base, changes } = Header.parse(JSON.parse(bytes.toString('utf8', MAGIC.length, end)));
  if (new Set(changes.map(({ path }) => path)).size < changes.length) throw new Error('it names a path twice');
  let at = end + 1;
  const read = changes.map((change): TreeChange => {
    if (change.kind === 'deleted') return change;
    const { size, ...rest } = change;
    const content = bytes.subarray(at, (at += size));
    if (content.byteLength < size) throw new Error('it ends early');
    return { ...rest, ...fileOf(content) };
  });
  return { base, changes: read };
}

/** Git's id is computed again, and the bytes count as known to nobody. */
function fileOf(bytes: Buffer): Pick<WrittenFile, 'bytes' | 'sha' | 'inBase'> {
  return { bytes, sha: blobSha(bytes), inBase: false };
}
