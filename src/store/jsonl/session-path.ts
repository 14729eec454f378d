import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SessionHeader, SessionId } from '../../harness/session/types.ts';

export type Compression = 'zstd' | 'none';

export const SUFFIX: Readonly<Record<Compression, string>> = { zstd: '.jsonl.zstd', none: '.jsonl' };

/** The file of a session. One directory per `cwd`, so that sessions of one place are found together. */
export function sessionPath(
  root: string,
  { id, cwd }: Pick<SessionHeader, 'id' | 'cwd'>,
  compression: Compression,
): string {
  return join(root, bucketName(cwd), `${encodeId(id)}${SUFFIX[compression]}`);
}

export function bucketName(cwd: string | undefined): string {
  if (cwd === undefined) return '_no-cwd';
  return `cwd-${createHash('sha256').update(cwd).digest('hex').slice(0, 12)}`;
}

export function isBucketName(name: string): boolean {
  return name === '_no-cwd' || /^cwd-[0-9a-f]{12}$/.test(name);
}

/** Injective: two ids never share a file name, whatever characters they hold. */
export function encodeId(id: SessionId): string {
  if (id === '') throw new TypeError('a session id must not be empty');
  if (id === '.' || id === '..') return id.replaceAll('.', escapeUnit);
  return id.replace(/[^A-Za-z0-9._-]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
