import { PersistenceError } from '../persistence-error.ts';
import type { Query } from './postgres-database.ts';

const SCHEMA_VERSION = 1;

/** One process makes the tables, the others wait for it. Any number that no one else in the database uses. */
const SETUP_LOCK = 0x647368;

const SCHEMA = `
create schema if not exists dsh;
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
`;

/** Makes our tables in a schema of their own, unless they are there. Throws `PersistenceError` `FOREIGN_FORMAT`. */
export async function ensureSchema(query: Query): Promise<void> {
  await query('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
  const [found] = await query<{ tables: number }>(
    `select count(*)::int as tables from pg_tables where schemaname = 'dsh'`,
  );
  if (found!.tables === 0) return void (await query(SCHEMA));
  const [row] = await query<{ version: number }>('select version from dsh.schema_version').catch((cause: unknown) => {
    throw foreign('of somebody else', cause);
  });
  if (row?.version !== SCHEMA_VERSION) throw foreign(`of version ${row?.version}`);
}

function foreign(what: string, cause?: unknown): PersistenceError {
  const message = `the schema "dsh" of the database holds tables ${what}; this program reads version ${SCHEMA_VERSION}`;
  return new PersistenceError(message, 'FOREIGN_FORMAT', { cause });
}
