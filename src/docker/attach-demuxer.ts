/** Longest piece that the engine's attach stream may announce. */
const MAX_PIECE_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 8;

export interface AttachedPiece {
  stream: 'stdout' | 'stderr';
  bytes: Buffer;
}

/**
 * Undoes the framing of Docker's attach stream: one byte stream kind, three zero bytes, length (u32), bytes. Passes on
 * what has come of a piece and never waits for all of it. Throws on anything else.
 */
export class AttachDemuxer {
  #header: Buffer = Buffer.alloc(0);
  #stream: AttachedPiece['stream'] = 'stdout';
  #left = 0;

  push(chunk: Buffer): AttachedPiece[] {
    const pieces: AttachedPiece[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === 0) rest = this.#takeHeader(rest);
      else {
        const bytes = rest.subarray(0, this.#left);
        pieces.push({ stream: this.#stream, bytes });
        this.#left -= bytes.length;
        rest = rest.subarray(bytes.length);
      }
    }
    return pieces;
  }

  #takeHeader(chunk: Buffer): Buffer {
    const missing = HEADER_BYTES - this.#header.length;
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, missing)]);
    if (this.#header.length === HEADER_BYTES) {
      const kind = this.#header.readUInt32BE(0) >>> 24;
      const length = this.#header.readUInt32BE(4);
      if ((kind !== 1 && kind !== 2) || length > MAX_PIECE_BYTES) throw new Error('not an attach stream of Docker');
      this.#stream = kind === 1 ? 'stdout' : 'stderr';
      this.#left = length;
      this.#header = Buffer.alloc(0);
    }
    return chunk.subarray(missing);
  }
}
