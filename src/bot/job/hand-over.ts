import type { Session } from '../../harness/session/session.ts';
import { handsBack } from './handed-back.ts';
import { waitingRequest } from '../people/waiting-request.ts';
import type { Room } from './room.ts';

interface Ends {
  /** Aborted when the turn must end; with `{ kind: 'disposed' }` where another process goes on with it. */
  readonly signal: AbortSignal;
  /** Aborted when the process is about to end. */
  readonly winding: AbortSignal | undefined;
}

/** How a running turn is ended from outside. */
export interface HandOver {
  /** The turn was cut off for another process to go on with: nothing of it is told here. */
  readonly isDone: boolean;
  stop(): void;
}

/** A person's stop ends the turn as aborted; a lost lease at once, and a shutdown after the running step, as disposed (H3). */
export function watchHandOver({ ctx, handle }: Room, { signal, winding }: Ends): HandOver {
  const { agent } = handle;
  let isDone = false;
  const handBack = () => {
    isDone = true;
    handle.dispose().catch(() => {});
  };
  const end = () => (handsBack(signal) ? handBack() : agent.cancel({ kind: 'user' }));
  const wind = () => {
    if (!isInStep(agent.session) && waitingRequest(agent.session.events) === undefined) handBack();
  };
  const leave = ctx.on('session/event', (session, event) => {
    if (winding?.aborted && session.id === agent.id && event.type === 'step/end') handBack();
  });
  signal.addEventListener('abort', end, { once: true });
  winding?.addEventListener('abort', wind, { once: true });
  return {
    get isDone() {
      return isDone;
    },
    stop: () => {
      void leave();
      signal.removeEventListener('abort', end);
      winding?.removeEventListener('abort', wind);
    },
  };
}

function isInStep({ events }: Session): boolean {
  return events.findLast(({ type }) => type === 'step/start' || type === 'step/end')?.type === 'step/start';
}
