/** Written into the file. A file of an earlier version gets what it lacks; any other number is refused. */
export const SCHEMA_VERSION = 3;

/**
 * What is kept beside the session logs: the tables that version 1 did not have. What is due is told by its index alone: a
 * payload is stored before the columns behind it, and would be read past for each row.
 */
const RECORD_TABLES = `
create table inbox (
  position integer primary key autoincrement,
  id text not null unique,
  key text not null,
  name text not null,
  payload text not null,
  received_at integer not null,
  due_at integer not null,
  attempts integer not null default 0,
  done_at integer
) strict;
create index inbox_left on inbox (key, position, due_at, done_at) where done_at is null;
create index inbox_done on inbox (done_at) where done_at is not null;
create table causes (
  repo integer not null,
  cause text not null,
  delivery text not null,
  taken_at integer,
  primary key (repo, cause)
) strict;
create table human_requests (
  position integer primary key autoincrement,
  id text not null unique,
  session_id text not null,
  repo integer not null,
  comment_id integer,
  state text not null,
  answer text,
  asked text not null
) strict;
create index human_requests_of_session on human_requests (session_id);
create index human_requests_open on human_requests (position) where state = 'pending';
create index human_requests_of_comment on human_requests (repo, comment_id);
create table snapshots (
  session_id text primary key,
  base text not null,
  digest text not null,
  bytes blob not null
) strict;
create table subjects (
  repo integer not null,
  number integer not null,
  session_id text not null,
  primary key (repo, number)
) strict;
create index subjects_of_session on subjects (session_id);
create table settings (
  session_id text primary key,
  model text,
  budget real,
  title text,
  archived_at integer
) strict;
create table spending (
  tally text not null,
  day integer not null,
  amount real not null,
  primary key (tally, day)
) strict;
`;

/** Causes used to be known by the turns of the logs alone: who had one keeps it. */
const CAUSES_OF_TURNS = `
insert into causes (repo, cause, delivery)
select
  json_extract(data, '$.trigger.repo.id'), json_extract(data, '$.trigger.cause'), json_extract(data, '$.trigger.delivery')
from events
where type = 'turn/start' and json_valid(data) and json_extract(data, '$.trigger.repo.id') is not null
  and json_extract(data, '$.trigger.cause') is not null and json_extract(data, '$.trigger.delivery') is not null
order by time
on conflict do nothing;
`;

const MARK = `pragma user_version = ${SCHEMA_VERSION};`;
const FROM_VERSION_1 = `${RECORD_TABLES}${CAUSES_OF_TURNS}${MARK}`;
/** When a cause was taken was not known. */
const FROM_VERSION_2 = `alter table causes add column taken_at integer; ${MARK}`;

/** Brings a file of that version to the present one. */
export const UPGRADES: ReadonlyMap<number, string> = new Map([
  [1, FROM_VERSION_1],
  [2, FROM_VERSION_2],
]);

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
${FROM_VERSION_1}
`;
