/** Marks the file as ours, whatever its name: "dshS". */
export const SEARCH_APPLICATION_ID = 0x64736853;
/** A file of another version is emptied and filled anew. */
export const SEARCH_VERSION = 1;

export const SEARCH_SCHEMA = `
create table marks (session_id text primary key, mark text not null) strict;
create table documents (
  id integer primary key,
  session_id text not null,
  seq integer not null,
  type text not null,
  time integer not null,
  surface text not null
) strict;
create index documents_of_session on documents (session_id);
create virtual table words using fts5(text, tokenize = 'unicode61');
pragma application_id = ${SEARCH_APPLICATION_ID};
pragma user_version = ${SEARCH_VERSION};
`;

/** Of one connection: sessions as they are in memory. */
export const LIVE_SCHEMA = `
create temp table live_documents (
  id integer primary key,
  session_id text not null,
  seq integer not null,
  type text not null,
  time integer not null,
  surface text not null
) strict;
create virtual table temp.live_words using fts5(text, tokenize = 'unicode61');
`;
