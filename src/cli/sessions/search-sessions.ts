import { secretsOf } from '../../config/secrets-of.ts';
import { DshError } from '../../errors.ts';
import { isHarnessError } from '../../harness/llm/errors.ts';
import type { SessionEventType, SessionId } from '../../harness/session/types.ts';
import { Redactor } from '../../publish/redact.ts';
import type { EventFilter, SearchMatch, SessionSearchHit } from '../../seams/session-query/search/types.ts';
import { EXIT } from '../exit-code.ts';
import { minuteOf } from './list-sessions.ts';
import type { SessionOutput } from './list-sessions.ts';
import { knownSession, withSessionQuery } from './open-session-query.ts';
import type { StoredSessions, Variables } from './open-session-query.ts';

export interface SearchFlags {
  /** Only in this one, event by event. */
  readonly session?: string;
  /** The text as it stands, parts of words and all scripts included; slower. */
  readonly literal: boolean;
  readonly type?: string;
  /** A date, or a date and time. */
  readonly since?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Sessions in which the words stand, best first; with `session`, the places in that one. */
export async function searchSessions(
  words: string,
  flags: SearchFlags,
  variables: Variables,
  output: SessionOutput,
): Promise<number> {
  const redacted = redacting(output, variables);
  const search = (stored: StoredSessions) =>
    flags.session === undefined
      ? acrossSessions(words, flags, stored, redacted)
      : withinSession(words, flags, stored, redacted);
  await withSessionQuery(variables, search, { search: true }).catch(explain);
  return EXIT.done;
}

function redacting(output: SessionOutput, variables: Variables): SessionOutput {
  const redactor = new Redactor(secretsOf(variables));
  return {
    say: (line) => output.say(redactor.redact(line)),
    result: (value) => output.result(redactor.redactAll(value)),
  };
}

async function acrossSessions(words: string, flags: SearchFlags, stored: StoredSessions, output: SessionOutput) {
  const page = await stored.query.searchSessions({ ...requestOf(words, flags), eventFilters: filtersOf(words, flags) });
  const titles = await Promise.all(page.hits.map(({ session }) => titleOf(session.header.id, stored)));
  for (const [index, hit] of page.hits.entries()) sayHit(hit, titles[index], output);
  sayEnd(page.hits.length, page.nextCursor, output);
  for (const id of page.unreadable) output.say(`The log of ${id} cannot be read and was not searched.`);
  output.result(page);
}

async function withinSession(words: string, flags: SearchFlags, stored: StoredSessions, output: SessionOutput) {
  const sessionId = await knownSession(flags.session!, stored);
  const filters = filtersOf(words, flags);
  const page = await stored.query.searchEvents({ sessionId, ...requestOf(words, flags), filters });
  for (const match of page.hits) output.say(placeOf(match));
  sayEnd(page.hits.length, page.nextCursor, output);
  output.result(page);
}

function requestOf(words: string, { literal, limit, cursor }: SearchFlags) {
  return { limit, ...(!literal && { query: words }), ...(cursor !== undefined && { cursor }) };
}

function filtersOf(words: string, { literal, type, since }: SearchFlags): EventFilter[] {
  return [
    ...(literal ? [{ kind: 'text' as const, values: [words] }] : []),
    ...(type === undefined ? [] : [{ kind: 'type' as const, values: [type as SessionEventType] }]),
    ...(since === undefined ? [] : [{ kind: 'time' as const, from: timeOf(since) }]),
  ];
}

function timeOf(since: string): number {
  const time = Date.parse(since);
  if (Number.isFinite(time)) return time;
  throw new DshError(`--since ${since} is no date.`, 'USAGE', 'Write it as 2026-11-30 or 2026-11-30T12:00Z.');
}

async function titleOf(id: SessionId, { query }: StoredSessions): Promise<string | undefined> {
  return (await query.readTitle(id))?.title;
}

function sayHit({ session, matches, bestMatch }: SessionSearchHit, title: string | undefined, output: SessionOutput) {
  output.say(`${session.header.id}${title === undefined ? '' : `  ${title}`}  (${matches})`);
  output.say(placeOf(bestMatch));
}

function placeOf({ seq, type, time, snippet }: SearchMatch): string {
  return `  ${minuteOf(time)}  ${seq} ${type}: ${snippet}`;
}

function sayEnd(hits: number, cursor: string | undefined, output: SessionOutput): void {
  if (hits === 0) output.say('Nothing was found. Words are found whole; --literal finds parts of them.');
  if (cursor !== undefined) output.say(`There is more: --cursor ${cursor}`);
}

const MISTAKES: ReadonlySet<string> = new Set(
  ['QUERY', 'LIMIT', 'CURSOR', 'FILTER'].map((what) => `SESSION_QUERY_INVALID_${what}`),
);

function explain(error: unknown): never {
  if (!isHarnessError(error)) throw error;
  if (MISTAKES.has(error.code)) {
    throw new DshError(`${error.message}.`, 'USAGE', 'Write `dsh sessions search --help`.', { cause: error });
  }
  if (error.code === 'SESSION_QUERY_STALE_CURSOR') {
    throw new DshError(`${error.message}.`, 'USAGE', 'Leave --cursor out.', { cause: error });
  }
  throw error;
}
