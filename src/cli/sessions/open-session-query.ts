import { readEnv } from '../../config/env.ts';
import { DshError } from '../../errors.ts';
import { Context } from '../../harness/kernel/context.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { sessionStore } from '../../harness/session/session-store.ts';
import { SessionId } from '../../harness/session/types.ts';
import { ReadableSessions } from '../../seams/session-query/readable-sessions.ts';
import { sessionQuery } from '../../seams/session-query/session-query.ts';
import type { SessionQueryService } from '../../seams/session-query/session-query.ts';
import { openStore } from '../../store/open-store.ts';
import { searchFileIn } from '../../store/search/search-file.ts';
import { sqliteSearchIndex } from '../../store/search/sqlite-search-index.ts';
import { prepareDataDir } from '../prepare-data-dir.ts';
import { ReadableRepositories } from './readable-repositories.ts';

export interface StoredSessions {
  readonly query: SessionQueryService;
  /** Only ever read: `inspect`, `list`, `has`. */
  readonly sessions: Pick<SessionPersistence, 'inspect' | 'list' | 'has'>;
}
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The stored sessions of this environment, for as long as `read` takes. With a `GITHUB_TOKEN` only those that its owner may
 * read now; without, all of them: who asks then is whoever may open the store.
 */
export async function withSessionQuery<T>(
  variables: Variables,
  read: (stored: StoredSessions) => Promise<T>,
  { search = false }: { search?: boolean } = {},
): Promise<T> {
  const { dataDir, DATABASE_URL: databaseUrl, GITHUB_TOKEN: token, GITHUB_API_URL: apiUrl } = readEnv(variables);
  if (databaseUrl === undefined || search) await prepareDataDir(dataDir);
  const store = openStore({ dataDir, databaseUrl, now: () => new Date() });
  const sessions = token ? readableBy({ token, apiUrl }, store.sessions) : store.sessions;
  const ctx = new Context();
  try {
    await ctx.plugin(sessionStore);
    ctx.provide('persistence', sessions);
    await ctx.plugin(sessionQuery, {});
    if (search) await ctx.plugin(sqliteSearchIndex, { path: searchFileIn(dataDir) });
    return await read({ query: ctx.sessionQuery, sessions });
  } finally {
    await ctx.fiber.dispose();
    await store.close();
  }
}

function readableBy(who: { token: string; apiUrl: string }, sessions: SessionPersistence): SessionPersistence {
  return new ReadableSessions(sessions, new ReadableRepositories({ ...who, sessions }).mayRead);
}

/** Throws `USAGE` if there is no such session, or none that the caller may see: in the same words. */
export async function knownSession(id: string, { sessions }: StoredSessions): Promise<SessionId> {
  if (await sessions.has(SessionId(id))) return SessionId(id);
  const hint = 'Write `dsh sessions list` to see which there are for you; GITHUB_TOKEN says who you are.';
  throw new DshError(`There is no session ${id}.`, 'USAGE', hint);
}
