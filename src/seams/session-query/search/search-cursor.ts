import { createHash } from 'node:crypto';
import { SessionQueryError } from '../session-query-error.ts';

interface Cursor {
  readonly request: string;
  readonly generation: string;
  readonly offset: number;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export function writeCursor({ request, generation, offset }: Cursor): string {
  return Buffer.from(JSON.stringify([digestOf(request), generation, offset])).toString('base64url');
}

/**
 * Where the next page begins; 0 without a cursor.
 * @throws SessionQueryError `SESSION_QUERY_INVALID_CURSOR` for one of another request, `…_STALE_CURSOR` for one from
 * before something changed
 */
export function readCursor(cursor: string | undefined, now: Omit<Cursor, 'offset'>): number {
  if (cursor === undefined) return 0;
  const [request, generation, offset] = parse(cursor);
  if (request !== digestOf(now.request) || !Number.isSafeInteger(offset) || (offset as number) < 0) {
    throw new SessionQueryError('the cursor belongs to another request', 'SESSION_QUERY_INVALID_CURSOR');
  }
  if (generation !== now.generation) {
    const message = 'the sessions have changed since that page: search again from the start';
    throw new SessionQueryError(message, 'SESSION_QUERY_STALE_CURSOR');
  }
  return offset as number;
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value)) return value;
  } catch {
    // Not ours, whatever it is.
  }
  return [];
}
