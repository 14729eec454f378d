/** Written into the file; a file of another number is refused. */
export const SCHEMA_VERSION = 1;

/** The tables of an empty file. Events are kept in the order they came, found by session and seq. */
export const SCHEMA = `
create table sessions (
  id text primary key,
  version integer not null,
  created_at integer not null,
  cwd text,
  parent_session text,
  seed_length integer,
  delegation_depth integer,
  lease_epoch integer not null
) strict;
create table events (
  session_id text not null,
  seq integer not null,
  type text not null,
  time integer not null,
  data text not null,
  source_event_seqs text,
  surface_op text,
  primary key (session_id, seq)
) strict;
create table leases (
  session_id text primary key,
  epoch integer not null,
  owner text,
  expires_at integer not null
) strict;
pragma user_version = ${SCHEMA_VERSION};
`;
