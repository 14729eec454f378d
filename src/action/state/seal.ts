import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { SessionId } from '../../harness/session/types.ts';

/** Whose state it is. The key of one session of one repository opens nothing of another. */
export interface SealedFor {
  readonly apiKey: string;
  /** Numeric; survives renames. */
  readonly repository: number;
}

/** What stands before the sealed bytes, readable and under the same seal. */
export interface SealHead {
  readonly session: SessionId;
  /** Grows by one with each save: the highest is the newest, whatever was uploaded last. */
  readonly counter: number;
  /** The run that made it, where the place tells of each thing which run it is of; `-` where it does not. */
  readonly run: string;
}

export interface Opened extends SealHead {
  readonly content: Buffer;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
/** No head of ours is longer. */
const MAX_HEAD = 512;
const HEAD =
  /^dsh-session-state 1 (?<session>[\w-]+) (?<counter>\d{1,15}) (?<run>\d{1,20}|-) (?<salt>[\w-]{43}) (?<nonce>[\w-]{16})\n$/;

/**
 * Seals the state of a session: a line that names format, session, counter and run, then AES-256-GCM. Its key is made by HKDF
 * from the model key, for this repository, this session and a salt of its own, so that no nonce is ever used twice.
 */
export function sealState(content: Uint8Array, head: SealHead, owner: SealedFor): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const parts = [head.session, head.counter, head.run, salt.toString('base64url'), nonce.toString('base64url')];
  const line = Buffer.from(`dsh-session-state 1 ${parts.join(' ')}\n`);
  const cipher = createCipheriv(CIPHER, keyOf(owner, head.session, salt), nonce).setAAD(line);
  return Buffer.concat([line, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** What was sealed; undefined for anything that this owner did not seal just so. Throws nothing. */
export function openSealed(bytes: Buffer, owner: SealedFor): Opened | undefined {
  const end = bytes.subarray(0, MAX_HEAD).indexOf('\n') + 1;
  const line = bytes.subarray(0, end);
  const head = HEAD.exec(line.toString('latin1'))?.groups;
  if (!head || bytes.length < end + TAG_BYTES) return undefined;
  const session = SessionId(head.session!);
  const key = keyOf(owner, session, Buffer.from(head.salt!, 'base64url'));
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(head.nonce!, 'base64url'), { authTagLength: TAG_BYTES });
  decipher.setAAD(line).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const content = Buffer.concat([decipher.update(bytes.subarray(end, -TAG_BYTES)), decipher.final()]);
    return { session, counter: Number(head.counter), run: head.run!, content };
  } catch {
    return undefined;
  }
}

function keyOf({ apiKey, repository }: SealedFor, session: SessionId, salt: Uint8Array): Buffer {
  const info = `dsh session state\n${repository}\n${session}`;
  return Buffer.from(hkdfSync('sha256', apiKey, salt, info, KEY_BYTES));
}
