import type { SessionEvent } from '../../src/harness/session/types.ts';
import { finishedCalls } from '../../src/bot/nudges/finished-calls.ts';
import { billedUsage } from '../../src/seams/token-meter/billed-usage.ts';

export interface LogCounts {
  readonly steps: number;
  readonly edits: number;
  /** Files whose first edit went through, and files that were edited at all. */
  readonly firstEditsRight: number;
  readonly filesEdited: number;
  /** Failed calls by the code of their error. */
  readonly toolErrors: Readonly<Record<string, number>>;
  readonly nudges: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** What PR67 counts of one session's log. Pure. */
export function logCounts(events: readonly SessionEvent[]): LogCounts {
  const usage = billedUsage(events);
  const sum = (of: (one: (typeof usage)[number]) => number) => usage.reduce((total, one) => total + of(one), 0);
  const cached = sum(({ cacheReadTokens = 0 }) => cacheReadTokens);
  const edits = finishedCalls(events).filter(({ name }) => name === 'edit');
  const firsts = Map.groupBy(edits, (call) => JSON.stringify((call.arguments as { file_path?: unknown }).file_path));
  return {
    steps: events.filter(({ type }) => type === 'step/start').length,
    edits: edits.length,
    firstEditsRight: [...firsts.values()].filter(([first]) => !first!.isError).length,
    filesEdited: firsts.size,
    toolErrors: errorsByCode(events),
    nudges: events.filter(({ type }) => type === 'bot/nudge').length,
    input: sum(({ inputTokens, cacheWriteTokens = 0 }) => inputTokens + cacheWriteTokens) + cached,
    cached,
    output: sum(({ outputTokens }) => outputTokens),
  };
}

function errorsByCode(events: readonly SessionEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events) {
    if (event.type !== 'tool/result' || !event.data.isError) continue;
    const code = event.data.error?.code ?? 'UNKNOWN';
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}
