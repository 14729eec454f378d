import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { DshError } from '../../errors.ts';
import { Context } from '../../harness/kernel/context.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { sessionStore } from '../../harness/session/session-store.ts';
import { SessionId } from '../../harness/session/types.ts';
import { sessionQuery } from '../../seams/session-query/session-query.ts';
import type { SessionQueryService } from '../../seams/session-query/session-query.ts';
import { openStore } from '../../store/open-store.ts';
import { sqliteSearchIndex } from '../../store/search/sqlite-search-index.ts';
import { prepareDataDir } from '../prepare-data-dir.ts';

/** Beside the store, whichever that is; it may be deleted at any time. */
const SEARCH_FILE = 'search.sqlite';

export interface StoredSessions {
  readonly query: SessionQueryService;
  /** Only ever read: `inspect`, `list`, `has`. */
  readonly sessions: Pick<SessionPersistence, 'inspect' | 'list' | 'has'>;
}
export type Variables = Readonly<Record<string, string | undefined>>;

/** The stored sessions of this environment, for as long as `read` takes. */
export async function withSessionQuery<T>(
  variables: Variables,
  read: (stored: StoredSessions) => Promise<T>,
  { search = false }: { search?: boolean } = {},
): Promise<T> {
  const { dataDir, DATABASE_URL: databaseUrl } = readEnv(variables);
  if (databaseUrl === undefined || search) await prepareDataDir(dataDir);
  const store = openStore({ dataDir, databaseUrl, now: () => new Date() });
  const ctx = new Context();
  try {
    await ctx.plugin(sessionStore);
    ctx.provide('persistence', store.sessions);
    await ctx.plugin(sessionQuery, {});
    if (search) await ctx.plugin(sqliteSearchIndex, { path: join(dataDir, SEARCH_FILE) });
    return await read({ query: ctx.sessionQuery, sessions: store.sessions });
  } finally {
    await ctx.fiber.dispose();
    await store.close();
  }
}

/** Throws `USAGE` if there is no such session. */
export async function knownSession(id: string, { sessions }: StoredSessions): Promise<SessionId> {
  if (await sessions.has(SessionId(id))) return SessionId(id);
  throw new DshError(`There is no session ${id}.`, 'USAGE', 'Write `dsh sessions list` to see which there are.');
}
