import '../harness/agent/events.ts';
import type { Context, Plugin } from '../harness/kernel/context.ts';
import '../harness/llm/llm-service.ts';
import type { StreamChunk } from '../harness/llm/types.ts';
import type { Session } from '../harness/session/session.ts';
import type { SessionStore } from '../harness/session/session-store.ts';
import '../harness/tools/events.ts';
import { abortedBeforeDispatch } from '../harness/tools/tool-results.ts';
import type { ToolDispatchExecution, ToolExecutionResult } from '../harness/tools/types.ts';

/**
 * Makes the log durable before anything happens that cannot be taken back: before a model is asked and before a tool
 * runs. What cannot be stored is not done. What a step logged is stored beside what follows it, with the next request's
 * own where that comes at once. Mount it beside a persistence backend.
 */
export const checkpointPolicy: Plugin = {
  name: 'session-checkpoint-policy',
  inject: ['sessions'],
  apply(ctx: Context): void {
    const { sessions } = ctx;
    ctx.on('llm/stream', ({ sessionId }, next) => {
      const session = sessionId && sessions.get(sessionId);
      return session ? openAfter(() => sessions.flush(session), next) : next();
    });
    ctx.on('tools/execute', (exec, next) => executeAfterFlush(sessions, exec, next));
    ctx.on('agent/post-step', (agent) => flushBeside(sessions, agent.session));
  },
};

/** A failure leaves the log's buffer as it is, so the flush before the next effect meets and tells it. */
function flushBeside(sessions: SessionStore, session: Session): void {
  setImmediate(() => void sessions.flush(session).catch(() => {}));
}

/** The stream is not even made before `ready` has resolved; after that its own iterator answers directly. */
function openAfter(ready: () => Promise<void>, open: () => AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk> {
  let chunks: AsyncIterator<StreamChunk> | undefined;
  const first = async (): Promise<IteratorResult<StreamChunk>> => {
    await ready();
    chunks = open()[Symbol.asyncIterator]();
    return chunks.next();
  };
  const iterator: AsyncIterator<StreamChunk> = {
    next: () => (chunks ? chunks.next() : first()),
    return: async () => (await chunks?.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** A nested call belongs to the checkpoint of the call that makes it. */
async function executeAfterFlush(
  sessions: SessionStore,
  exec: ToolDispatchExecution,
  next: () => Promise<ToolExecutionResult>,
): Promise<ToolExecutionResult> {
  if (!exec.agent || exec.parent !== undefined) return next();
  await sessions.flush(exec.agent.session);
  return exec.signal.aborted ? abortedBeforeDispatch() : next();
}
