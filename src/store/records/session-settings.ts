import { SessionId } from '../../harness/session/types.ts';
import type { SessionSettings, SessionSettingsStore } from '../records.ts';
import type { RecordDatabase, Row, Statement } from './record-database.ts';

/** What was set for each session, as a table. A field that a change names as `undefined` is unset. */
export function sessionSettingsIn(database: RecordDatabase): SessionSettingsStore {
  return {
    get: async (session) => {
      const [row] = await database.read([GET, session]);
      return row ? settingsOf(row) : {};
    },
    set: async (session, change) => {
      const updates = (Object.keys(change) as (keyof SessionSettings)[]).map((field): Statement => [
        `update dsh.settings set ${COLUMNS[field]} = $1 where session_id = $2`,
        change[field] ?? null,
        session,
      ]);
      await database.write([ENSURE, session], ...updates);
    },
    archivedBefore: async (before) =>
      (await database.read([ARCHIVED, before])).map((row) => SessionId(String(row['session_id']))),
    erase: async (session) => {
      const tables = [...HOLD_SESSION.map(ERASE), ERASE_SESSIONS];
      await database.ending(session).write(...tables.map((sql): Statement => [sql, session]));
    },
  };
}

const COLUMNS: Readonly<Record<keyof SessionSettings, string>> = {
  model: 'model',
  budget: 'budget',
  title: 'title',
  archivedAt: 'archived_at',
};
const GET = 'select model, budget, title, archived_at from dsh.settings where session_id = $1';
const ENSURE = 'insert into dsh.settings (session_id) values ($1) on conflict (session_id) do nothing';
const ARCHIVED = 'select session_id from dsh.settings where archived_at < $1 order by archived_at';

/** The lease stays: it holds no content, and its epoch keeps a late writer out. Which subject had it stays as well (T9). */
const HOLD_SESSION = ['events', 'snapshots', 'human_requests', 'settings'];
/** A session and its child agents, and theirs: what they were told and did is its content, too. */
const FAMILY = `
with recursive family (id) as (
  select cast($1 as text) union select child.id from dsh.sessions child join family on child.parent_session = family.id
) select id from family`;
const ERASE = (table: string) => `delete from dsh.${table} where session_id in (${FAMILY})`;
/** The last: they tell who belongs to whom. */
const ERASE_SESSIONS = `delete from dsh.sessions where id in (${FAMILY})`;

function settingsOf({ model, budget, title, archived_at: archivedAt }: Row): SessionSettings {
  return {
    ...(model !== null && { model: String(model) }),
    ...(budget !== null && { budget: Number(budget) }),
    ...(title !== null && { title: String(title) }),
    ...(archivedAt !== null && { archivedAt: Number(archivedAt) }),
  };
}
