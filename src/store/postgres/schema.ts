import { PersistenceError } from '../persistence-error.ts';
import { NEWS_CHANNEL } from './listen-for-news.ts';
import type { Query } from './postgres-database.ts';

const SCHEMA_VERSION = 3;

/** One process makes the tables, the others wait for it. Any number that no one else in the database uses. */
const SETUP_LOCK = 0x647368;

/** What is kept beside the session logs: the tables that version 1 did not have. */
const RECORD_TABLES = `
create table dsh.inbox (
  position bigint generated always as identity primary key,
  id text not null unique,
  key text not null,
  name text not null,
  payload text not null,
  received_at bigint not null,
  due_at bigint not null,
  attempts integer not null default 0,
  done_at bigint
);
create index inbox_left on dsh.inbox (key, position) where done_at is null;
create index inbox_done on dsh.inbox (done_at) where done_at is not null;
create function dsh.tell_news() returns trigger language plpgsql as $$
begin
  perform pg_notify('${NEWS_CHANNEL}', '');
  return null;
end $$;
create trigger inbox_news after insert on dsh.inbox for each statement execute function dsh.tell_news();
create table dsh.causes (
  repo bigint not null,
  cause text not null,
  delivery text not null,
  taken_at bigint,
  primary key (repo, cause)
);
create table dsh.human_requests (
  position bigint generated always as identity primary key,
  id text not null unique,
  session_id text not null,
  repo bigint not null,
  comment_id bigint,
  state text not null,
  answer text,
  asked text not null
);
create index human_requests_of_session on dsh.human_requests (session_id);
create index human_requests_open on dsh.human_requests (position) where state = 'pending';
create index human_requests_of_comment on dsh.human_requests (repo, comment_id);
create table dsh.snapshots (
  session_id text primary key,
  base text not null,
  digest text not null,
  bytes bytea not null
);
create table dsh.subjects (
  repo bigint not null,
  number bigint not null,
  session_id text not null,
  primary key (repo, number)
);
create index subjects_of_session on dsh.subjects (session_id);
create table dsh.settings (
  session_id text primary key,
  model text,
  budget double precision,
  title text,
  archived_at bigint
);
create table dsh.spending (
  tally text not null,
  day bigint not null,
  amount double precision not null,
  primary key (tally, day)
);
`;

/** Causes used to be known by the turns of the logs alone: who had one keeps it. */
const CAUSES_OF_TURNS = `
insert into dsh.causes (repo, cause, delivery)
select (trigger -> 'repo' ->> 'id')::bigint, trigger ->> 'cause', trigger ->> 'delivery'
from (select data::json -> 'trigger' as trigger, time from dsh.events where type = 'turn/start') turns
where trigger -> 'repo' ->> 'id' is not null and trigger ->> 'cause' is not null and trigger ->> 'delivery' is not null
order by time
on conflict do nothing;
`;

const MARK = `update dsh.schema_version set version = ${SCHEMA_VERSION};`;

/** Brings tables of that version to the present one. When a cause was taken was not known before version 3. */
const UPGRADES: ReadonlyMap<number | undefined, string> = new Map([
  [1, `${RECORD_TABLES}${CAUSES_OF_TURNS}${MARK}`],
  [2, `alter table dsh.causes add column taken_at bigint; ${MARK}`],
]);

const TABLES = `
create table dsh.schema_version (version integer not null);
insert into dsh.schema_version values (${SCHEMA_VERSION});
create table dsh.sessions (
  id text primary key,
  version bigint not null,
  created_at bigint not null,
  cwd text,
  parent_session text,
  seed_length bigint,
  delegation_depth bigint,
  lease_epoch bigint not null
);
create table dsh.events (
  session_id text not null,
  seq bigint not null,
  type text not null,
  time bigint not null,
  data text not null,
  source_event_seqs text,
  surface_op text,
  primary key (session_id, seq)
);
create table dsh.leases (
  session_id text primary key,
  epoch bigint not null,
  owner text,
  expires_at timestamptz not null
);
${RECORD_TABLES}`;

/** Makes our tables in a schema of their own, unless they are there. Throws `PersistenceError` `FOREIGN_FORMAT`. */
export async function ensureSchema(query: Query): Promise<void> {
  await query('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
  const [found] = await query<{ tables: number }>(
    `select count(*)::int as tables from pg_tables where schemaname = 'dsh'`,
  );
  if (found!.tables === 0) return makeTables(query);
  const [row] = await query<{ version: number }>('select version from dsh.schema_version').catch((cause: unknown) => {
    throw foreign('of somebody else', cause);
  });
  const upgrade = UPGRADES.get(row?.version);
  if (upgrade !== undefined) return void (await query(upgrade));
  if (row?.version !== SCHEMA_VERSION) throw foreign(`of version ${row?.version}`);
}

/** The schema may have been made for a user who may make none: then not even `if not exists` is let pass. */
async function makeTables(query: Query): Promise<void> {
  const [found] = await query<{ exists: boolean }>(`select to_regnamespace('dsh') is not null as exists`);
  await query(found!.exists ? TABLES : `create schema dsh; ${TABLES}`);
}

function foreign(what: string, cause?: unknown): PersistenceError {
  const message = `the schema "dsh" of the database holds tables ${what}; this program reads version ${SCHEMA_VERSION}`;
  return new PersistenceError(message, 'FOREIGN_FORMAT', { cause });
}
