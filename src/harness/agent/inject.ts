import { appendContexts } from './append-input.ts';
import type { Loop } from './loop.ts';
import { isParked } from './session-log.ts';
import type { HookContext } from './types.ts';

/** Puts a context into the history: into the open turn, or into a turn of its own. */
export function inject(loop: Loop, context: HookContext): void {
  if (loop.session.openTurn === undefined) injectWhileIdle(loop, context);
  else if (loop.surfaceHeld) loop.inbox.hold([context]);
  else appendContexts(loop, [context]);
}

function injectWhileIdle(loop: Loop, context: HookContext): void {
  if (isParked(loop.session)) loop.inbox.hold([context]);
  else injectAlone(loop, context);
}

function injectAlone(loop: Loop, context: HookContext): void {
  const { session } = loop;
  const turn = session.lastTurn + 1;
  session.append('turn/start', { turn, trigger: { kind: 'injection', source: context.source } });
  try {
    appendContexts(loop, [context]);
  } finally {
    session.append('turn/end', { turn, reason: { kind: 'completed' } });
    startFlush(loop, turn);
  }
}

function startFlush(loop: Loop, turn: number): void {
  const flush = loop.services.sessions
    .flush(loop.session)
    .catch((error: unknown) => {
      loop.services.ctx.notify('kernel/error', error, 'agent inject');
      loop.reportError(turn, 0, error);
    })
    .finally(() => loop.flushes.delete(flush));
  loop.flushes.add(flush);
}
