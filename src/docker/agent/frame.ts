import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What agent and host send each other: a small JSON head and raw bytes. On the wire: length of head and body with the
 * head's length (u32), seal (16 bytes), head length (u32), head, body.
 */
export interface Frame {
  head: unknown;
  body: Buffer;
}

/** The seal covers direction and number, so a frame can be neither forged, repeated, dropped nor sent back. */
export type Direction = 'to-agent' | 'to-host';

export const SEAL_KEY_BYTES = 32;
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_HEAD_BYTES = 1024 * 1024;
const SEAL_BYTES = 16;
const PREFIX_BYTES = 4 + SEAL_BYTES;

export class FrameError extends Error {}

export class FrameWriter {
  readonly #seal: Sealer;

  constructor(key: Buffer, direction: Direction) {
    this.#seal = new Sealer(key, direction);
  }

  encode(head: object, body: Uint8Array = Buffer.alloc(0)): Buffer {
    const text = Buffer.from(JSON.stringify(head));
    if (text.length > MAX_HEAD_BYTES || body.length > MAX_BODY_BYTES) throw new FrameError('frame too large');
    const frame = Buffer.allocUnsafe(PREFIX_BYTES + 4 + text.length + body.length);
    frame.writeUInt32BE(4 + text.length + body.length, 0);
    frame.writeUInt32BE(text.length, PREFIX_BYTES);
    frame.set(text, PREFIX_BYTES + 4);
    frame.set(body, PREFIX_BYTES + 4 + text.length);
    this.#seal.next(frame.subarray(PREFIX_BYTES)).copy(frame, 4);
    return frame;
  }
}

/** Takes bytes split anywhere, answers whole frames. Throws `FrameError` on anything that the other side did not seal. */
export class FrameReader {
  readonly #seal: Sealer;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(key: Buffer, direction: Direction) {
    this.#seal = new Sealer(key, direction);
  }

  push(chunk: Buffer): Frame[] {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | undefined {
    if (this.#pendingBytes < PREFIX_BYTES) return undefined;
    const length = this.#peek(4).readUInt32BE(0);
    if (length < 4 || length > 4 + MAX_HEAD_BYTES + MAX_BODY_BYTES) throw new FrameError(`frame of ${length} bytes`);
    if (this.#pendingBytes < PREFIX_BYTES + length) return undefined;

    const bytes = this.#joined();
    const rest = bytes.subarray(PREFIX_BYTES + length);
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingBytes = rest.length;
    const sealed = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length);
    if (!timingSafeEqual(this.#seal.next(sealed), bytes.subarray(4, PREFIX_BYTES))) throw new FrameError('wrong seal');
    return opened(sealed);
  }

  #peek(count: number): Buffer {
    return this.#pending[0]!.length >= count ? this.#pending[0]! : this.#joined();
  }

  #joined(): Buffer {
    if (this.#pending.length > 1) this.#pending = [Buffer.concat(this.#pending)];
    return this.#pending[0]!;
  }
}

function opened(sealed: Buffer): Frame {
  const headBytes = sealed.readUInt32BE(0);
  if (headBytes > MAX_HEAD_BYTES || 4 + headBytes > sealed.length) throw new FrameError('wrong head length');
  try {
    return { head: JSON.parse(sealed.toString('utf8', 4, 4 + headBytes)), body: sealed.subarray(4 + headBytes) };
  } catch (cause) {
    throw new FrameError('head is not JSON', { cause });
  }
}

class Sealer {
  readonly #key: Buffer;
  readonly #direction: Direction;
  #number = 0;

  constructor(key: Buffer, direction: Direction) {
    this.#key = key;
    this.#direction = direction;
  }

  next(bytes: Uint8Array): Buffer {
    const mac = createHmac('sha256', this.#key).update(`${this.#direction} ${this.#number}\n`).update(bytes).digest();
    this.#number += 1;
    return mac.subarray(0, SEAL_BYTES);
  }
}
