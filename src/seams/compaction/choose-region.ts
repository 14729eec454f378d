import type { Session } from '../../harness/session/session.ts';
import type { TokenSurfaceNode } from '../token-meter/types.ts';
import { isCompactCheckpointSource } from './checkpoint.ts';
import { toolPairingBalancedBefore } from './tool-pairing.ts';

/** Both ends inclusive, by seq, in surface order. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/**
 * The oldest part of the surface that may go while the newest nodes with at least `retainTokens` stay (and always the
 * newest one, with the calls it answers). Undefined where no cut is safe.
 */
export function oldestRegion(
  session: Session,
  nodes: readonly TokenSurfaceNode[],
  retainTokens: number,
): Region | undefined {
  let cut = cutKeeping(nodes, retainTokens);
  while (cut > 0 && !toolPairingBalancedBefore(session, nodes[cut]!.seq)) cut -= 1;
  if (cut <= 0) return undefined;
  return { start: nodes[0]!.seq, end: nodes[cut - 1]!.seq };
}

/** Position of the first node that stays. */
function cutKeeping(nodes: readonly TokenSurfaceNode[], retainTokens: number): number {
  let kept = 0;
  for (let position = nodes.length - 1; position >= 0; position -= 1) {
    kept += nodes[position]!.tokens;
    if (kept >= retainTokens) return position;
  }
  return 0;
}

/** Whether a region is one earlier summary: summarizing it again gains little. */
export function isCheckpoint(session: Session, { start, end }: Region): boolean {
  const event = session.eventAt(start);
  if (start !== end) return false;
  return event?.type === 'user/message' && isCompactCheckpointSource(event.data.source);
}
