import type { Context } from '../../harness/kernel/context.ts';
import { isAgentLoopRequest } from '../../harness/llm/agent-loop-request.ts';
import type { GenerateOptions } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import { titleMessageOf } from './collect-messages.ts';
import { foldSessionTitle } from './fold-title.ts';
import { messagesFor } from './title-keeper.ts';
import type { TitleKeeper } from './title-keeper.ts';
import type { SessionTitleModelProvenance } from './types.ts';

/**
 * A message of a person brings the fallback at once. The provider waits until it is known where the conversation itself
 * goes: that is when its header is logged, or, where that does not change, when its next request is sent.
 */
export function watchSessions(ctx: Context, keeper: TitleKeeper): void {
  /** Seq of the message that waits for a route. */
  const waiting = new Map<Session, number>();
  const start = (session: Session, route: SessionTitleModelProvenance) => {
    waiting.delete(session);
    if (keeper.provider) keeper.scheduleProvider(session, messagesFor(keeper.provider, session.events), route);
  };
  ctx.on('session/event', (session, event) => {
    if (event.type === 'request/header' && waiting.has(session)) start(session, event.data.header.config);
    const message = titleMessageOf(event);
    if (!message) return;
    keeper.scheduleFallback(session);
    if (isDue(session, message.seq, keeper)) waiting.set(session, message.seq);
  });
  ctx.on('llm/stream', (options, next) => {
    const session = sessionOf(ctx, options);
    const seq = session && waiting.get(session);
    if (session && seq !== undefined && goesWithHeader(session, options) && stepSeq(session) > seq) {
      start(session, { provider: options.provider, model: options.model });
    }
    return next();
  });
  ctx.on('session/disposed', (session) => {
    waiting.delete(session);
    keeper.forget(session);
  });
}

/** A child never gets a title of its own that way, nor a session that has had one. */
function isDue(session: Session, seq: number, keeper: TitleKeeper): boolean {
  if (keeper.isPinned(session)) return false;
  if (keeper.provider?.automatic !== 'first-message') return true;
  if (session.header.parentSession !== undefined || foldSessionTitle(session.events) !== undefined) return false;
  return messagesFor(keeper.provider, session.events)[0]?.seq === seq;
}

function sessionOf(ctx: Context, options: GenerateOptions): Session | undefined {
  const { sessionId } = options;
  return sessionId !== undefined && isAgentLoopRequest(options) ? ctx.sessions.get(sessionId) : undefined;
}

function goesWithHeader(session: Session, { provider, model }: GenerateOptions): boolean {
  const config = session.requestHeader()?.config;
  return config?.provider === provider && config.model === model;
}

/** Of the step that is open; -1 if none is. */
function stepSeq(session: Session): number {
  if (session.openStep === undefined) return -1;
  for (let seq = session.seq - 1; seq >= 0; seq--) if (session.eventAt(seq)?.type === 'step/start') return seq;
  return -1;
}
