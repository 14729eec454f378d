import type { SessionEvent } from '../../harness/session/types.ts';
import type { ApprovalRequest, ApprovalRequestId } from './types.ts';

/** The questions of a log that have no decision yet, oldest first. */
export function openApprovals(events: readonly SessionEvent[]): SessionEvent<'approval/asked'>[] {
  const decided = new Set<ApprovalRequestId>();
  for (const event of events) if (event.type === 'approval/decided') decided.add(event.data.id);
  return events.filter(
    (event): event is SessionEvent<'approval/asked'> => event.type === 'approval/asked' && !decided.has(event.data.id),
  );
}

/** The logged question of a request that is being decided: what a channel names it by. */
export function idOfRequest({ agent, callId, toolName }: ApprovalRequest): ApprovalRequestId | undefined {
  const asked = openApprovals(agent.session.events).findLast(
    ({ data }) => data.callId === callId && data.toolName === toolName,
  );
  return asked?.data.id;
}
