import type { HookContext } from '../../harness/agent/types.ts';
import { heldContexts } from '../../harness/agent/session-log.ts';
import type { Session } from '../../harness/session/session.ts';

/**
 * Tells a session that waits for a person what happened meanwhile: kept in its log, and read by the model once the turn goes
 * on. Where calls wait for their results it stands behind them.
 */
export function noteParked(session: Session, context: HookContext): void {
  const { content, source, meta } = context;
  const note = { content, source, ...(meta !== undefined && { meta }) };
  const turn = session.lastTurn + 1;
  session.append('turn/start', { turn, trigger: { kind: 'injection', source } });
  if (session.parkedCalls.length > 0)
    session.append('context/held', { turn, contexts: [...heldContexts(session), note] });
  else session.append('context/message', note, { surfaceOp: 'append' });
  session.append('turn/end', { turn, reason: { kind: 'completed' } });
}
