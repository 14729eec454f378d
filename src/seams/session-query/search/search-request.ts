import { canonicalJson } from '../../../harness/session/canonical-json.ts';
import type { JsonValue } from '../../../harness/session/types.ts';
import { SessionQueryError } from '../session-query-error.ts';
import type { SessionQueryErrorCode } from '../session-query-error.ts';
import type { EventFilter, Range, SessionFilter } from './types.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_QUERY_LENGTH = 1_000;

export interface GivenSearch {
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly sessionFilters?: readonly SessionFilter[] | undefined;
  readonly eventFilters?: readonly EventFilter[] | undefined;
}
export interface CheckedSearch {
  readonly phrase: string | undefined;
  readonly limit: number;
  readonly sessionFilters: readonly SessionFilter[];
  readonly eventFilters: readonly EventFilter[];
  /** The same for equal requests. */
  readonly key: string;
}

/** Throws `SESSION_QUERY_INVALID_QUERY`, `…_INVALID_LIMIT` or `…_INVALID_FILTER`. Pure. */
export function checkSearch(kind: 'sessions' | 'events', given: GivenSearch): CheckedSearch {
  const { limit = DEFAULT_LIMIT, sessionFilters = [], eventFilters = [] } = given;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw refusal(`limit must be a whole number from 1 to ${MAX_LIMIT}, not ${String(limit)}`, 'INVALID_LIMIT');
  }
  for (const filter of [...sessionFilters, ...eventFilters]) checkFilter(filter);
  const phrase = phraseOf(given.query);
  if (phrase === undefined && !eventFilters.some((filter) => filter.kind === 'text')) {
    throw refusal('there is nothing to look for: give a query, or a text filter', 'INVALID_QUERY');
  }
  const parts = { kind, phrase: phrase ?? null, limit, sessionFilters, eventFilters };
  return { phrase, limit, sessionFilters, eventFilters, key: canonicalJson(parts as unknown as JsonValue) };
}

function phraseOf(query: string | undefined): string | undefined {
  if (query === undefined) return undefined;
  if (typeof query !== 'string' || query.includes('\0')) throw refusal('a query is text without NUL', 'INVALID_QUERY');
  const phrase = query.trim().replaceAll(/\s+/gu, ' ');
  if (phrase === '') throw refusal('the query is blank', 'INVALID_QUERY');
  if (phrase.length > MAX_QUERY_LENGTH) {
    throw refusal(`the query is longer than ${MAX_QUERY_LENGTH} characters`, 'INVALID_QUERY');
  }
  return phrase;
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  availability: ['live', 'persisted'],
  surface: ['current', 'shadowed', 'log-only'],
};
const RANGES: ReadonlySet<string> = new Set(['created-at', 'seq', 'time']);
const LISTS: ReadonlySet<string> = new Set(['id', 'cwd', 'parent', 'availability', 'type', 'surface', 'text']);

function checkFilter(filter: SessionFilter | EventFilter): void {
  const { kind } = filter;
  if (RANGES.has(kind)) return checkRange(kind, filter as Range);
  if (!LISTS.has(kind)) throw refusal(`there is no filter "${String(kind)}"`, 'INVALID_FILTER');
  const { values } = filter as { values: unknown };
  const isList = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string');
  if (!isList) throw refusal(`the filter ${kind} takes a list of texts`, 'INVALID_FILTER');
  const bad = (values as string[]).find((value) => value === '' || (ALLOWED[kind] && !ALLOWED[kind].includes(value)));
  if (bad !== undefined) throw refusal(`the filter ${kind} cannot be "${bad}"`, 'INVALID_FILTER');
}

function checkRange(kind: string, { from, to }: Range): void {
  const bounds = [from, to].filter((bound) => bound !== undefined);
  if (bounds.length > 0 && bounds.every((bound) => Number.isSafeInteger(bound))) return;
  throw refusal(`the filter ${kind} takes whole numbers "from" and "to", or one of them`, 'INVALID_FILTER');
}

function refusal(message: string, code: string): SessionQueryError {
  return new SessionQueryError(message, `SESSION_QUERY_${code}` as SessionQueryErrorCode);
}
