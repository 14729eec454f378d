import type { SessionRecord } from '../types.ts';
import type { Range, SessionFilter } from './types.ts';

/** The records for which all filters hold. Pure. */
export function filterSessions(records: readonly SessionRecord[], filters: readonly SessionFilter[]): SessionRecord[] {
  return records.filter((record) => filters.every((filter) => holds(filter, record)));
}

function holds(filter: SessionFilter, { header, live, persisted }: SessionRecord): boolean {
  switch (filter.kind) {
    case 'id':
      return filter.values.includes(header.id);
    case 'cwd':
      return header.cwd !== undefined && filter.values.includes(header.cwd);
    case 'parent':
      return header.parentSession !== undefined && filter.values.includes(header.parentSession);
    case 'created-at':
      return isWithin(header.createdAt, filter);
    case 'availability':
      return filter.values.some((value) => (value === 'live' ? live : persisted));
  }
}

function isWithin(value: number, { from = -Infinity, to = Infinity }: Range): boolean {
  return value >= from && value <= to;
}
