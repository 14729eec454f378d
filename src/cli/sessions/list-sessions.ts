import type { SessionRecord } from '../../seams/session-query/types.ts';
import { EXIT } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { withSessionQuery } from './open-session-query.ts';
import type { StoredSessions, Variables } from './open-session-query.ts';
import { summarizeSession } from './session-summary.ts';
import type { SessionSummary } from './session-summary.ts';
import { table } from './table.ts';

export interface ListFlags {
  /** Most to show; all with `all`. */
  readonly limit: number;
  /** Child agents, too. */
  readonly children: boolean;
}
export type SessionOutput = Pick<Output, 'say' | 'result'>;

/** The newest sessions, with what they were about and how they ended. */
export async function listSessions(flags: ListFlags, variables: Variables, output: SessionOutput): Promise<number> {
  const { shown, hidden } = await withSessionQuery(variables, (stored) => readSummaries(stored, flags));
  if (shown.length === 0) output.say('No sessions are stored here.');
  else for (const line of table(HEADINGS, shown.map(rowOf))) output.say(line);
  if (hidden > 0) output.say(`and ${hidden} older: --limit shows more`);
  output.result(shown);
  return EXIT.done;
}

const HEADINGS = ['SESSION', 'LAST CHANGE', 'STATUS', 'TOKENS', 'TITLE'];

async function readSummaries(stored: StoredSessions, { limit, children }: ListFlags) {
  const records = await stored.query.listSessions();
  const wanted = children ? records : records.filter(({ header }) => header.parentSession === undefined);
  const shown = await Promise.all(wanted.slice(0, limit).map((record) => summaryOf(record, stored)));
  return { shown, hidden: Math.max(0, wanted.length - limit) };
}

/** A log that cannot be read is listed as what it is. */
async function summaryOf({ header }: SessionRecord, { sessions }: StoredSessions): Promise<SessionSummary> {
  try {
    return summarizeSession(await sessions.inspect(header.id));
  } catch {
    const { id, createdAt, parentSession = null } = header;
    const unknown = { title: null, turns: 0, tokens: 0, model: null, lastEventAt: createdAt };
    return { id, createdAt, parentSession, ...unknown, status: 'unreadable' };
  }
}

function rowOf({ id, lastEventAt, status, tokens, title, parentSession }: SessionSummary): string[] {
  const name = title ?? (parentSession === null ? '' : `child of ${parentSession}`);
  return [id, minuteOf(lastEventAt), status, tokens.toLocaleString('en-US'), name];
}

export function minuteOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
