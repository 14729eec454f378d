import type { EventFilter, Range } from '../../seams/session-query/search/types.ts';
import type { IndexQuery } from '../../seams/session-query/search/search-index.ts';

type Value = string | number;
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

const RANK = 'spans desc, size asc, time desc, session_id asc, seq desc';
const COLUMNS = 'session_id, seq, type, time, surface';

/** Finds, ranks and pages in one statement; `live` tells in which of the two pairs of tables a row stands. Pure. */
export function searchStatement(query: IndexQuery): Statement {
  const stored = matchesIn('words', 'documents', query);
  const live = matchesIn('live_words', 'live_documents', query);
  const ranked = query.bestOnly
    ? `select *, row_number() over (partition by session_id order by ${RANK}) as place,
        count(*) over (partition by session_id) as matches from hits`
    : 'select *, 1 as place, 1 as matches from hits';
  return {
    sql: `with hits as materialized (${stored.sql} union all ${live.sql}), ranked as (${ranked})
      select * from ranked where place = 1 order by ${RANK} limit ? offset ?`,
    values: [...stored.values, ...live.values, query.limit + 1, query.offset],
  };
}

/** A phrase in quotes has no operators. */
export function phraseExpression(phrase: string): string {
  return `"${phrase.replaceAll('"', '""')}"`;
}

/** What a search without a phrase counts. */
export function literalsOf({ filters }: Pick<IndexQuery, 'filters'>): readonly string[] {
  return filters.flatMap((filter) => (filter.kind === 'text' ? filter.values : []));
}

function matchesIn(words: string, documents: string, query: IndexQuery): Statement {
  const { phrase, sessions } = query;
  const counted = phrase === undefined ? literalSpans(words, literalsOf(query)) : phraseSpans(words, phrase);
  const stored = words === 'words';
  const wanted = stored ? sessions.filter((id) => !query.overlay.has(id)) : sessions;
  const conditions = [
    ...(counted.condition ? [counted.condition] : []),
    { sql: 'session_id in (select value from json_each(?))', values: [JSON.stringify(wanted)] },
    ...query.filters.map((filter) => condition(filter, `${words}.text`)),
  ];
  return {
    sql: `select ${COLUMNS}, ${documents}.id as id, ${stored ? 0 : 1} as live, ${counted.sql} as spans,
      length(${words}.text) as size from ${words} join ${documents} on ${documents}.id = ${words}.rowid
      where ${conditions.map(({ sql }) => sql).join(' and ')}`,
    values: [...counted.values, ...conditions.flatMap(({ values }) => values)],
  };
}

/** Each match is marked by one character more. */
function phraseSpans(words: string, phrase: string): Statement & { condition: Statement } {
  return {
    sql: `length(highlight(${words}, 0, char(1), '')) - length(${words}.text)`,
    values: [],
    condition: { sql: `${words} match ?`, values: [phraseExpression(phrase)] },
  };
}

function literalSpans(words: string, [literal = '']: readonly string[]): Statement & { condition?: undefined } {
  const sql = `(length(${words}.text) - length(replace(${words}.text, ?, ''))) / length(?)`;
  return { sql, values: [literal, literal] };
}

function condition(filter: EventFilter, text: string): Statement {
  switch (filter.kind) {
    case 'seq':
    case 'time':
      return range(filter.kind, filter);
    case 'type':
    case 'surface':
      return {
        sql: `${filter.kind} in (select value from json_each(?))`,
        values: [JSON.stringify(filter.values)],
      };
    case 'text':
      return {
        sql: `(${filter.values.map(() => `instr(${text}, ?) > 0`).join(' or ')})`,
        values: [...filter.values],
      };
  }
}

function range(column: string, { from, to }: Range): Statement {
  const parts = [
    ...(from === undefined ? [] : [{ sql: `${column} >= ?`, value: from }]),
    ...(to === undefined ? [] : [{ sql: `${column} <= ?`, value: to }]),
  ];
  return { sql: parts.map(({ sql }) => sql).join(' and '), values: parts.map(({ value }) => value) };
}
