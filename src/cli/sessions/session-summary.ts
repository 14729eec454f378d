import { findLastMessageTurnEnd } from '../../harness/session/find-last-message-turn-end.ts';
import type { StoredSession } from '../../harness/session/persistence.ts';
import type { SessionEvent, SessionId } from '../../harness/session/types.ts';
import { foldSessionTitle } from '../../seams/session-title/fold-title.ts';
import { billedUsage, totalTokensOf } from '../../seams/token-meter/billed-usage.ts';

/** What a list shows of a session. Times are epoch milliseconds. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string | null;
  readonly createdAt: number;
  readonly lastEventAt: number;
  readonly parentSession: SessionId | null;
  /** Of requests, not of titles and the like. */
  readonly turns: number;
  /** How the last request ended; `running` where a turn is open, `empty` where there was none. */
  readonly status: string;
  readonly tokens: number;
  readonly model: string | null;
}

/** Pure. */
export function summarizeSession({ meta, events }: StoredSession): SessionSummary {
  const config = events.findLast((event) => event.type === 'request/header')?.data.header.config;
  return {
    id: meta.id,
    title: foldSessionTitle(events)?.title ?? null,
    createdAt: meta.createdAt,
    lastEventAt: events.at(-1)?.time ?? meta.createdAt,
    parentSession: meta.parentSession ?? null,
    turns: events.filter(({ type }) => type === 'user/message').length,
    status: statusOf(events),
    tokens: billedUsage(events).reduce((sum, usage) => sum + totalTokensOf(usage), 0),
    model: config ? `${config.provider}/${config.model}` : null,
  };
}

function statusOf(events: readonly SessionEvent[]): string {
  const boundary = events.findLast(({ type }) => type === 'turn/start' || type === 'turn/end');
  if (boundary?.type === 'turn/start') return 'running';
  return findLastMessageTurnEnd(events)?.data.reason.kind ?? 'empty';
}
