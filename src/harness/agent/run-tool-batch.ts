import { drainHeld } from './append-input.ts';
import { ToolBatch } from './tool-batch.ts';
import type { DueCall } from './session-log.ts';
import type { Turn } from './turn.ts';

/** Runs the calls of one reply, then lets the contexts in that had to wait for their results. */
export async function runToolBatch(turn: Turn, calls: readonly DueCall[], step: number): Promise<void> {
  const batch = new ToolBatch(turn, step, calls);
  try {
    await batch.run();
  } catch (error) {
    await batch.settleBodies();
    throw error;
  }
  if (turn.cancellation.parking?.callId !== undefined) return;
  turn.loop.surfaceHeld = false;
  drainHeld(turn.loop);
}
