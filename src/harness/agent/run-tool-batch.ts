import { drainHeld } from './append-input.ts';
import { ToolBatch } from './tool-batch.ts';
import type { DueCall } from './session-log.ts';
import type { Turn } from './turn.ts';

/** Runs the calls of one reply, then, unless one was left open, lets the contexts in that had to wait for the results. */
export async function runToolBatch(turn: Turn, calls: readonly DueCall[], step: number): Promise<void> {
  const batch = new ToolBatch(turn, step, calls);
  try {
    await batch.run();
  } catch (error) {
    await batch.settleBodies();
    throw error;
  }
  const { parkedCalls, pendingCalls } = turn.loop.session;
  if (parkedCalls.length > 0 || pendingCalls.length > 0) return;
  turn.loop.surfaceHeld = false;
  drainHeld(turn.loop);
}
