/**
 * `partial` asks for more bytes; `none` is no TLS, or TLS that names no host in the clear; `hidden` may mean another host
 * than the one it names.
 */
export type ServerName =
  | { readonly kind: 'partial' }
  | { readonly kind: 'none' | 'hidden' }
  | { readonly kind: 'name'; readonly name: string };

const NONE = { kind: 'none' } as const;
const HIDDEN = { kind: 'hidden' } as const;
const PARTIAL = { kind: 'partial' } as const;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** `encrypted_client_hello`: the true name is inside, for whoever has the key. Source: IANA, TLS ExtensionType values. */
const ENCRYPTED_HELLO = 0xfe0d;
const RECORD_HEADER_BYTES = 5;
/** Of one record, by the protocol. */
const MAX_RECORD_BYTES = 16_384;

/** The host that a TLS client asks for in its first record. Source: RFC 8446 (4.1.2), RFC 6066 (3). Pure. */
export function readServerName(bytes: Buffer): ServerName {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return NONE;
  if (bytes.length < RECORD_HEADER_BYTES) return PARTIAL;
  const length = bytes.readUInt16BE(3);
  if (length > MAX_RECORD_BYTES) return NONE;
  if (bytes.length < RECORD_HEADER_BYTES + length) return PARTIAL;
  try {
    return serverNameIn(new Cursor(bytes.subarray(RECORD_HEADER_BYTES, RECORD_HEADER_BYTES + length)));
  } catch (error) {
    if (error instanceof RangeError) return NONE;
    throw error;
  }
}

function serverNameIn(hello: Cursor): ServerName {
  if (hello.number(1) !== CLIENT_HELLO) return NONE;
  hello.skip(3 + 2 + 32); // length, version, random
  hello.skip(hello.number(1)); // session id
  hello.skip(hello.number(2)); // cipher suites
  hello.skip(hello.number(1)); // compression methods
  const extensions = hello.part(hello.number(2));
  let found: ServerName = NONE;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const extension = extensions.part(extensions.number(2));
    if (type === ENCRYPTED_HELLO) return HIDDEN;
    if (type === SERVER_NAME && found === NONE) found = firstName(extension.part(extension.number(2)));
  }
  return found;
}

function firstName(list: Cursor): ServerName {
  if (list.number(1) !== HOST_NAME) return NONE;
  return { kind: 'name', name: list.text(list.number(2)).toLowerCase() };
}

/** Reads forward; `RangeError` past the end. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(size: number): number {
    return this.#take(size).readUIntBE(0, size);
  }

  skip(size: number): void {
    this.#take(size);
  }

  part(size: number): Cursor {
    return new Cursor(this.#take(size));
  }

  text(size: number): string {
    return this.#take(size).toString('latin1');
  }

  #take(size: number): Buffer {
    if (this.#at + size > this.#bytes.length) throw new RangeError('past the end');
    return this.#bytes.subarray(this.#at, (this.#at += size));
  }
}
