import type { Context } from '../../harness/kernel/context.ts';
import type { Agent } from '../../harness/agent/types.ts';
import { keepWork } from './kept-work.ts';
import type { Keeping } from './kept-work.ts';
import '../session/session-events.ts';

const EVERY_MS = 30_000;

/**
 * Keeps the work tree beside the running turn, between its steps and at most every 30 seconds, so that a worker that cannot
 * reach the tree can rebuild it (H2). Returns what ends that; it resolves when the last copy is stored.
 */
export function snapshotBeside(ctx: Context, agent: Agent, keeping: Keeping): () => Promise<void> {
  let keptAt = performance.now();
  let underWay: Promise<void> | undefined;
  const keep = async () => {
    const kept = await keepWork(keeping);
    const turn = agent.session.openTurn;
    if (kept?.kind !== 'snapshot' || turn === undefined) return;
    const { digest, base, bytes } = kept;
    agent.session.append('workspace/snapshot', { turn, digest, base, bytes });
  };
  const leave = ctx.on('session/event', (session, event) => {
    const isDue = session.id === agent.id && event.type === 'step/end' && performance.now() - keptAt >= EVERY_MS;
    if (!isDue || underWay) return;
    keptAt = performance.now();
    underWay = keep().finally(() => (underWay = undefined));
  });
  return async () => {
    await leave();
    await underWay;
  };
}
