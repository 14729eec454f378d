import { z } from 'zod';
import { canonicalSessionHeader } from '../../harness/session/canonical-session-header.ts';
import { SESSION_FORMAT_VERSION, SessionId } from '../../harness/session/types.ts';
import type { SessionHeader } from '../../harness/session/types.ts';
import { PersistenceError } from '../persistence-error.ts';

/** Asked first: what another version wrote must not be judged by today's shape. */
const AnyHeaderLine = z.looseObject({ type: z.literal('session'), version: z.number() });

const safeCount = z.int().min(0);
const HeaderLine = z.strictObject({
  type: z.literal('session'),
  version: z.literal(SESSION_FORMAT_VERSION),
  id: z.string().min(1),
  createdAt: safeCount,
  cwd: z.string().optional(),
  parentSession: z.string().optional(),
  seedLength: safeCount.optional(),
  delegationDepth: safeCount,
});

/** Line 0 of a session file. */
export function writeHeaderLine({ delegationDepth = 0, ...meta }: SessionHeader): string {
  return JSON.stringify({ type: 'session', ...meta, delegationDepth });
}

/**
 * The header in line 0, or undefined if the line is none. Throws `PersistenceError`: `FOREIGN_FORMAT` for another
 * version, `CORRUPT_SESSION` for a header that breaks the rules.
 */
export function readHeaderLine(line: string | undefined): SessionHeader | undefined {
  const any = AnyHeaderLine.safeParse(parseJson(line));
  if (!any.success) return undefined;
  if (any.data.version !== SESSION_FORMAT_VERSION) {
    const message = `the session has format version ${any.data.version}; this program reads ${SESSION_FORMAT_VERSION}`;
    throw new PersistenceError(message, 'FOREIGN_FORMAT');
  }
  const parsed = HeaderLine.safeParse(any.data);
  if (!parsed.success) {
    throw new PersistenceError('the header of the session is damaged', 'CORRUPT_SESSION', { cause: parsed.error });
  }
  const { type: _type, id, parentSession, ...meta } = parsed.data;
  const parent = parentSession === undefined ? {} : { parentSession: SessionId(parentSession) };
  return canonicalSessionHeader(SessionId(id), { ...meta, ...parent }, meta.createdAt);
}

function parseJson(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch {
    return undefined;
  }
}
