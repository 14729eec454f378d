import type { Context } from '../../harness/kernel/context.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type { NetworkRequests } from '../session/session-events.ts';

/** Where a session's requests of the network gather until they are logged. */
export interface NetworkWatch {
  /** What came since the last take. */
  take(): NetworkRequests[];
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    networkWatch: NetworkWatch;
  }
}

/** Logs what a tool call asked of the network, right after it. Calls that overlap are logged with the first to end. */
export function watchCalls(agentCtx: Context, root: Context): void {
  agentCtx.on('tools/post-execute', async (exec, _result, next) => {
    if (exec.agent) logNetwork(root, exec.agent.session, exec.callId);
    return next();
  });
}

/** Logs what was asked since the last time, if anything was. */
export function logNetwork(root: Context, session: Session, callId?: CallId): void {
  const requests = root.get('networkWatch')?.take() ?? [];
  if (requests.length > 0) appendNetwork(session, requests, callId);
}

export function appendNetwork(session: Session, requests: readonly NetworkRequests[], callId?: CallId): void {
  if (session.openTurn === undefined || requests.length === 0) return;
  session.append('sandbox/network', { turn: session.openTurn, ...(callId && { callId }), requests: [...requests] });
}
