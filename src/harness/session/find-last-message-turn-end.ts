import { isAnsweringTrigger, isMessageTrigger } from './turn-kinds.ts';
import type { SessionEvent } from './types.ts';

/**
 * How the last request ended: the `turn/end` of the last turn that a message opened and that made a step. A turn that
 * is still open, background turns and turns without a step are passed over; an answering turn needs no step.
 */
export function findLastMessageTurnEnd(events: readonly SessionEvent[]): SessionEvent<'turn/end'> | undefined {
  let end: SessionEvent<'turn/end'> | undefined;
  let steps = 0;
  for (let seq = events.length - 1; seq >= 0; seq--) {
    const event = events[seq]!;
    if (event.type === 'turn/end') [end, steps] = [event, 0];
    else if (event.type === 'step/start') steps += 1;
    else if (event.type === 'turn/start' && end) {
      const { kind } = event.data.trigger;
      if (isMessageTrigger(kind) && (steps > 0 || isAnsweringTrigger(kind))) return end;
      end = undefined;
    }
  }
  return undefined;
}
