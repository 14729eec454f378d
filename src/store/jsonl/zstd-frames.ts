import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const MAX_BLOCK = 128 * 1024;

/** One frame of text, with a checksum of its own. */
export function compressFrame(text: string): Buffer {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/** Text of a complete frame. Throws if its checksum does not fit. */
export function decompressFrame(frame: Buffer): string {
  return zstdDecompressSync(frame).toString();
}

/** What can still be read of a frame whose end is missing; often nothing. */
export function decompressTornFrame(frame: Buffer): string {
  try {
    return zstdDecompressSync(frame, { finishFlush: constants.ZSTD_e_flush }).toString();
  } catch {
    return '';
  }
}

/**
 * Where the frame at `offset` ends, by its own headers (RFC 8878, 3.1.1); undefined if the bytes end first or are no
 * frame. Needed because the decoder stops after the first frame and does not say where that was.
 */
export function frameEnd(bytes: Buffer, offset: number): number | undefined {
  const descriptor = bytes[offset + 4];
  if (descriptor === undefined || !MAGIC.equals(bytes.subarray(offset, offset + 4))) return undefined;
  let at = offset + 5 + frameHeaderSize(descriptor);
  for (let isLast = false; !isLast;) {
    if (at + 3 > bytes.length) return undefined;
    const header = bytes.readUIntLE(at, 3);
    const [type, size] = [(header >> 1) & 3, header >> 3];
    if (type === 3 || size > MAX_BLOCK) return undefined;
    isLast = (header & 1) === 1;
    at += 3 + (type === 1 ? 1 : size);
  }
  if (descriptor & 0b100) at += 4;
  return at > bytes.length ? undefined : at;
}

function frameHeaderSize(descriptor: number): number {
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const dictionaryId = [0, 1, 2, 4][descriptor & 3]!;
  return (isSingleSegment ? 0 : 1) + dictionaryId + contentSize;
}

/** Whether a sound frame begins somewhere after `offset`: then what stands before it is damage, not a torn end. */
export function hasFrameAfter(bytes: Buffer, offset: number): boolean {
  for (let at = bytes.indexOf(MAGIC, offset + 1); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    const end = frameEnd(bytes, at);
    if (end !== undefined && isSound(bytes.subarray(at, end))) return true;
  }
  return false;
}

function isSound(frame: Buffer): boolean {
  try {
    decompressFrame(frame);
    return true;
  } catch {
    return false;
  }
}
