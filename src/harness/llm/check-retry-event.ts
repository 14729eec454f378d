import type { SessionEvent } from '../session/types.ts';
import { HarnessError } from './errors.ts';

/** A retry is logged between steps: it names the turn that is open and the step of it that was closed last. */
export function checkRetryEvent(session: { readonly events: readonly SessionEvent[] }, event: SessionEvent): void {
  if (event.type !== 'llm/retry') return;
  const last = session.events.findLast(({ type }) => type.startsWith('step/') || type.startsWith('turn/'));
  const isRight = last?.type === 'step/end' && last.data.turn === event.data.turn && last.data.step === event.data.step;
  if (!isRight) throw new HarnessError('llm/retry must name the open turn and its last closed step', 'INVALID_EVENT');
}
