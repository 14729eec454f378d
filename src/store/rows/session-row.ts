import { canonicalSessionHeader } from '../../harness/session/canonical-session-header.ts';
import { SESSION_FORMAT_VERSION, SessionId } from '../../harness/session/types.ts';
import type { SessionHeader } from '../../harness/session/types.ts';
import { PersistenceError } from '../persistence-error.ts';
import { assertStorableText } from './storable-text.ts';

/** PostgreSQL hands out large integers as text. */
type Count = number | string;

/** A session in a database; `null` where the header says nothing. */
export interface SessionRow {
  readonly id: string;
  readonly version: Count;
  readonly created_at: Count;
  readonly cwd: string | null;
  readonly parent_session: string | null;
  readonly seed_length: Count | null;
  readonly delegation_depth: Count | null;
}

export const SESSION_COLUMNS = 'id, version, created_at, cwd, parent_session, seed_length, delegation_depth';

/** The values of `SESSION_COLUMNS`. Throws `TypeError` on text a database would change. */
export function sessionValues(meta: SessionHeader): (string | number | null)[] {
  const { id, version, createdAt, cwd = null, parentSession = null, seedLength = null, delegationDepth = null } = meta;
  for (const text of [id, cwd, parentSession]) if (text !== null) assertStorableText(text);
  return [id, version, createdAt, cwd, parentSession, seedLength, delegationDepth];
}

/** Throws `PersistenceError`: `FOREIGN_FORMAT` for another version, `CORRUPT_SESSION` for a header that breaks the rules. */
export function headerOf(row: SessionRow): SessionHeader {
  const { id, version, cwd, parent_session, seed_length, delegation_depth } = row;
  if (Number(version) !== SESSION_FORMAT_VERSION) {
    const message = `session ${id} has format version ${version}; this program reads ${SESSION_FORMAT_VERSION}`;
    throw new PersistenceError(message, 'FOREIGN_FORMAT');
  }
  const meta = {
    ...(cwd !== null && { cwd }),
    ...(parent_session !== null && { parentSession: SessionId(parent_session) }),
    ...(seed_length !== null && { seedLength: Number(seed_length) }),
    ...(delegation_depth !== null && { delegationDepth: Number(delegation_depth) }),
  };
  try {
    return canonicalSessionHeader(SessionId(id), meta, Number(row.created_at));
  } catch (cause) {
    throw new PersistenceError(`the header of session ${id} is damaged`, 'CORRUPT_SESSION', { cause });
  }
}
