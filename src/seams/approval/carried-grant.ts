import type { SessionEvent } from '../../harness/session/types.ts';
import type { ApprovalRequest, ApprovalRequestId } from './types.ts';

/**
 * The yes that a parked turn's call got in the turn that is open now: same call, same tool, same reason, asked in an
 * earlier turn and decided in this one. Pure.
 */
export function carriedGrant(
  events: readonly SessionEvent[],
  { callId, toolName, reason }: Pick<ApprovalRequest, 'callId' | 'toolName' | 'reason'>,
): ApprovalRequestId | undefined {
  if (callId === undefined) return undefined;
  const turnStart = events.findLastIndex(({ type }) => type === 'turn/start');
  const asked = events.findLast(
    (event, at) => at < turnStart && event.type === 'approval/asked' && event.data.callId === callId,
  );
  if (asked?.type !== 'approval/asked') return undefined;
  if (asked.data.toolName !== toolName || asked.data.reason !== reason) return undefined;
  const decided = events.find((event) => event.type === 'approval/decided' && event.data.id === asked.data.id);
  const isGranted = decided?.type === 'approval/decided' && decided.data.outcome === 'allowed-once';
  return isGranted && decided.seq > turnStart ? asked.data.id : undefined;
}
