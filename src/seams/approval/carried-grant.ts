import type { SessionEvent } from '../../harness/session/types.ts';
import type { ApprovalRequest, ApprovalRequestId } from './types.ts';

/**
 * The yes that a parked turn's call got in the turn that is open now: same call, same tool, same reason, asked in an
 * earlier turn and decided in this one. A call that was logged since is another one, whatever its id and arguments, and
 * one that has its result has used its yes. Pure.
 */
export function carriedGrant(
  events: readonly SessionEvent[],
  { callId, toolName, reason }: Pick<ApprovalRequest, 'callId' | 'toolName' | 'reason'>,
): ApprovalRequestId | undefined {
  if (callId === undefined) return undefined;
  const turnStart = events.findLastIndex(({ type }) => type === 'turn/start');
  const askedAt = events.findLastIndex(
    (event, at) => at < turnStart && event.type === 'approval/asked' && event.data.callId === callId,
  );
  const asked = events[askedAt];
  if (asked?.type !== 'approval/asked') return undefined;
  if (asked.data.toolName !== toolName || asked.data.reason !== reason) return undefined;
  const since = events.slice(askedAt + 1);
  const isOver = since.some(
    (event) => (event.type === 'tool/call' || event.type === 'tool/result') && event.data.callId === callId,
  );
  if (isOver) return undefined;
  const decided = since.find((event) => event.type === 'approval/decided' && event.data.id === asked.data.id);
  const isGranted = decided?.type === 'approval/decided' && decided.data.outcome === 'allowed-once';
  return isGranted && events.indexOf(decided) > turnStart ? asked.data.id : undefined;
}
