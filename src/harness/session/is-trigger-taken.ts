import type { SessionEvent } from './types.ts';

/** Turns that carry the cause of the job they continue. */
const CONTINUING: ReadonlySet<string> = new Set(['github-answer', 'github-resume']);

interface Origin {
  readonly kind: string;
  readonly delivery?: string;
  readonly cause?: string;
}

/** Whether the log already holds a turn of the same delivery or cause. A continuing turn is never taken. */
export function isTriggerTaken(events: readonly SessionEvent[], trigger: Origin): boolean {
  if (CONTINUING.has(trigger.kind)) return false;
  return events.some((event) => event.type === 'turn/start' && isSameOrigin(event.data.trigger as Origin, trigger));
}

function isSameOrigin(logged: Origin, { delivery, cause }: Origin): boolean {
  return (delivery !== undefined && logged.delivery === delivery) || (cause !== undefined && logged.cause === cause);
}
