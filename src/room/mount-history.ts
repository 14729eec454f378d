import type { RoomOptions } from '../bot/job/room.ts';
import { breakOwnTags } from '../bot/context/own-tags.ts';
import { standingFacts } from '../bot/context/standing-facts.ts';
import { readTreeChanges } from '../github/tree/tree-changes.ts';
import type { Context } from '../harness/kernel/context.ts';
import { basicCompact } from '../seams/compaction/basic-compact.ts';
import { toolResultPrune } from '../seams/compaction/tool-result-prune.ts';
import { tokenMeter } from '../seams/token-meter/session-token-meter.ts';

/** Sessions live for weeks: their history is measured, and kept inside the window by pruning first and summaries last. */
export async function mountHistory(
  root: Context,
  { config, checkout, target }: Pick<RoomOptions, 'config' | 'checkout' | 'target'>,
): Promise<void> {
  await root.plugin(tokenMeter, undefined);
  await root.plugin(toolResultPrune, undefined);
  await root.plugin(basicCompact, {
    workingWindow: config.workingWindow,
    harmless: breakOwnTags,
    facts: async (session) => {
      const { changes } = await readTreeChanges(checkout);
      const model = `${target.provider}/${target.model}`;
      return standingFacts({ events: session.events, job: { changes, model, limits: config.budget.turn } });
    },
  });
}
