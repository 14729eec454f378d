/** What stands in a tree for a file that is kept beside it. */
export interface LfsPointer {
  /** SHA-256 of the content, in hex. */
  readonly oid: string;
  readonly size: number;
}

/** Pointers are smaller than this. https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
export const MAX_POINTER_BYTES = 1024;

/** Undefined for what is no pointer. Pure. */
export function readLfsPointer(bytes: Uint8Array): LfsPointer | undefined {
  if (bytes.byteLength >= MAX_POINTER_BYTES) return undefined;
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith('version https://git-lfs.github.com/spec/')) return undefined;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d{1,15})$/m.exec(text)?.[1];
  return oid && size ? { oid, size: Number(size) } : undefined;
}
