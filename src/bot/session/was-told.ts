import '../../harness/agent/parked.ts';
import type { JsonValue, SessionEvent } from '../../harness/session/types.ts';
import './session-events.ts';

/**
 * Whether the log holds what was said by this cause, or what happened by this delivery: a delivery that is worked again, after a process was lost between
 * the log and the end of it, tells the model nothing twice. Pure.
 */
export function wasTold(by: string, events: readonly SessionEvent[]): boolean {
  return events.some(({ type, data }) => {
    switch (type) {
      case 'steering/message':
      case 'user/message':
        return data.source.kind === 'github' && data.source.cause === by;
      case 'context/message':
        return isOf(data, by);
      case 'context/held':
        return data.contexts.some((context) => isOf(context, by));
      default:
        return false;
    }
  });
}

function isOf({ meta }: { readonly meta?: JsonValue }, delivery: string): boolean {
  return typeof meta === 'object' && meta !== null && 'delivery' in meta && meta.delivery === delivery;
}
