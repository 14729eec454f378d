import { createHash } from 'node:crypto';
import type { SessionEvent } from '../../harness/session/types.ts';

/** Names the texts that a turn was told, by the hash of its last header's system text and tools (PR65). Pure. */
export function promptVersion(events: readonly SessionEvent[]): string | undefined {
  const header = events.findLast((event) => event.type === 'request/header');
  if (header?.type !== 'request/header') return undefined;
  const { system = '', tools = [] } = header.data.header;
  const told = JSON.stringify([system, tools]);
  return createHash('sha256').update(told).digest('hex').slice(0, 12);
}
