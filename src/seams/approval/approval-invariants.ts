import type { Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { openApprovals } from './open-approvals.ts';
import { APPROVAL_OUTCOMES, APPROVAL_POLICIES } from './types.ts';

/** For development and tests: an audit event that does not fit the log is refused. */
export const approvalInvariants: Plugin = {
  name: 'approval-invariants',
  inject: ['sessions'],
  apply(ctx) {
    ctx.effect(() => ctx.sessions.addValidator(assertFits), 'approval invariants');
  },
};

function assertFits(session: Session, event: SessionEvent): void {
  const fault = faultOf(session, event);
  if (fault) throw new HarnessError(`${event.type} of session ${session.id}: ${fault}`, 'APPROVAL_INVARIANT');
}

function faultOf(session: Session, event: SessionEvent): string | undefined {
  const isOpen = (id: string) => openApprovals(session.events).some(({ data }) => data.id === id);
  switch (event.type) {
    case 'approval/asked':
      if (event.data.toolName === '') return 'it names no tool';
      return isOpen(event.data.id) ? `${event.data.id} is open already` : undefined;
    case 'approval/decided':
      if (!APPROVAL_OUTCOMES.includes(event.data.outcome)) return `"${event.data.outcome}" is no outcome`;
      return isOpen(event.data.id) ? undefined : `${event.data.id} is not open`;
    case 'approval/policy':
      return APPROVAL_POLICIES.includes(event.data.policy) ? undefined : `"${event.data.policy}" is no policy`;
    default:
      return undefined;
  }
}
