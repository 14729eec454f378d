import type { Message } from '../llm/types.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { Turn } from './turn.ts';

const EMPTY: readonly Message[] = Object.freeze([]);

/** The messages before all history. A composition that was interrupted is not kept: it may be incomplete. */
export async function composeSessionPrefix(turn: Turn): Promise<readonly Message[]> {
  const { loop, signal } = turn;
  if (loop.sessionPrefix) return loop.sessionPrefix;
  const prefix = loop.events.waterfall('agent/session-prefix', EMPTY, signal, () => Promise.resolve(EMPTY));
  loop.sessionPrefix = snapshotJsonValue(await turn.settled(prefix));
  return loop.sessionPrefix;
}
