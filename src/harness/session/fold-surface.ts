import { SurfaceFold } from './surface-fold.ts';
import type { SessionEvent, SurfaceFoldReplacement, SurfaceFoldResult } from './types.ts';

/** The surface of a whole log, and every replacement that led to it. Throws as `SurfaceFold.plan` does. */
export function foldSurface(events: readonly SessionEvent[]): SurfaceFoldResult {
  const fold = new SurfaceFold((seq) => events[seq]);
  const replacements: SurfaceFoldReplacement[] = [];
  for (const event of events) {
    const plan = fold.plan(event);
    const start = plan.kind === 'replace' ? fold.nodes[plan.from]! : 0;
    const end = plan.kind === 'replace' ? fold.nodes[plan.to]! : 0;
    const shadowedSeqs = fold.commit(plan);
    if (plan.kind === 'replace') replacements.push({ seq: plan.seq, start, end, shadowedSeqs });
  }
  return { nodes: fold.nodes, replacements };
}
