import { isAbsolute } from 'node:path';
import { snapshotJsonValue } from './json.ts';
import { SessionLogError } from './session-errors.ts';
import { SESSION_FORMAT_VERSION } from './types.ts';
import type { CreateSessionOptions, SessionHeader, SessionId } from './types.ts';

/**
 * The frozen storage header of a session. `meta` may be a stored header, whose version and id must then fit.
 * Throws `SessionLogError` `INVALID_HEADER`.
 */
export function canonicalSessionHeader(
  id: SessionId,
  meta: CreateSessionOptions['meta'] & Partial<SessionHeader>,
  now: number,
): SessionHeader {
  const { version = SESSION_FORMAT_VERSION, createdAt = now, cwd, parentSession, seedLength, delegationDepth } = meta;
  if (typeof id !== 'string' || id === '') throw invalid('a session needs an id');
  if (meta.id !== undefined && meta.id !== id) throw invalid(`the header of session ${id} names ${meta.id}`);
  if (version !== SESSION_FORMAT_VERSION) {
    throw invalid(`session ${id} has format version ${version}; this program reads ${SESSION_FORMAT_VERSION}`);
  }
  if (cwd !== undefined && !isAbsolute(cwd)) throw invalid(`cwd of session ${id} must be absolute`);
  for (const [name, value] of Object.entries({ createdAt, seedLength, delegationDepth })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      throw invalid(`${name} of session ${id} must be a safe integer of at least 0`);
    }
  }
  return snapshotJsonValue({
    version,
    id,
    createdAt,
    ...(cwd !== undefined && { cwd }),
    ...(parentSession !== undefined && { parentSession }),
    ...(seedLength !== undefined && { seedLength }),
    ...(delegationDepth !== undefined && { delegationDepth }),
  });
}

function invalid(message: string): SessionLogError {
  return new SessionLogError(message, 'INVALID_HEADER');
}
