/** Triggers of turns that carry no message: they never tell how a person's request ended. */
const BACKGROUND: ReadonlySet<string> = new Set(['injection', 'session-title', 'maintenance']);

/** Triggers of turns that go on with a decision: they count even without a step. */
const ANSWERING: ReadonlySet<string> = new Set(['github-answer']);

/** Whether a turn with this trigger is about a message. The map is open: what is not known to be background is. */
export function isMessageTrigger(kind: string): boolean {
  return !BACKGROUND.has(kind);
}

export function isAnsweringTrigger(kind: string): boolean {
  return ANSWERING.has(kind);
}
