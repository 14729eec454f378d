import * as z from 'zod';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import { textLengthOf, pruneContent } from './prune-content.ts';
import type { PruneLimits } from './prune-content.ts';

/** Lengths in Unicode code points. */
const ToolResultPruneConfig = z.strictObject({
  thresholdChars: z.int().positive().default(8192),
  headChars: z.int().nonnegative().default(4096),
  tailChars: z.int().nonnegative().default(1024),
});
export type ToolResultPruneConfig = z.input<typeof ToolResultPruneConfig>;

export interface PrunedEntry {
  readonly originalSeq: number;
  readonly replacementSeq: number;
  readonly callId: CallId;
  readonly charsBefore: number;
  readonly charsAfter: number;
}
export interface PruneResult {
  readonly pruned: readonly PrunedEntry[];
  readonly charsRemoved: number;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    toolResultPrune: ToolResultPrune;
  }
}

/** Service `ctx.toolResultPrune`: shortens long tool results of the history; the log keeps them whole. */
export class ToolResultPrune {
  readonly #limits: PruneLimits;

  /** Throws `COMPACT_CONFIG`, also where a shortened result would still be too long. */
  constructor(config: ToolResultPruneConfig = {}) {
    const parsed = ToolResultPruneConfig.safeParse(config);
    if (!parsed.success) throw wrong(z.prettifyError(parsed.error));
    const { thresholdChars, headChars, tailChars } = parsed.data;
    this.#limits = { thresholdChars, headChars, tailChars };
    const least = pruneContent([{ type: 'text', text: 'x'.repeat(thresholdChars + 1) }], this.#limits);
    if (textLengthOf(least) > thresholdChars)
      throw wrong(`head, tail and the marker are longer than thresholdChars ${thresholdChars}`);
  }

  /** All results on the surface that are too long, one after the other. Needs an open turn. */
  prune(session: Session): PruneResult {
    const pruned = session.surface.nodes.flatMap((seq) => this.#pruneNode(session, seq) ?? []);
    const charsRemoved = pruned.reduce((sum, { charsBefore, charsAfter }) => sum + charsBefore - charsAfter, 0);
    return { pruned, charsRemoved };
  }

  #pruneNode(session: Session, seq: number): PrunedEntry | undefined {
    const event = session.eventAt(seq);
    if (event?.type !== 'tool/result') return undefined;
    const charsBefore = textLengthOf(event.data.content);
    if (charsBefore <= this.#limits.thresholdChars) return undefined;
    const content = pruneContent(event.data.content, this.#limits);
    const replacement = session.append(
      'tool/result',
      { ...event.data, content },
      { surfaceOp: { op: 'replace', start: seq, end: seq }, sourceEventSeqs: [seq] },
    );
    const { callId } = event.data;
    return {
      ...{ originalSeq: seq, replacementSeq: replacement.seq, callId },
      ...{ charsBefore, charsAfter: textLengthOf(content) },
    };
  }
}

function wrong(why: string): HarnessError {
  return new HarnessError(`pruning of tool results: ${why}`, 'COMPACT_CONFIG');
}

/** Provides `ctx.toolResultPrune`. */
export const toolResultPrune: Plugin<ToolResultPruneConfig | undefined> = {
  name: 'tool-result-prune',
  apply(ctx: Context, config) {
    ctx.provide('toolResultPrune', new ToolResultPrune(config));
  },
};
