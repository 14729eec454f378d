import { requestDigest } from '../../../src/harness/session/request-digest.ts';
import { rebuildRequests } from '../../../src/harness/session/rebuild-request.ts';
import type { Context } from '../../../src/harness/kernel/context.ts';
import type { GenerateOptions, Message } from '../../../src/harness/llm/types.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { basicCompact } from '../../../src/seams/compaction/basic-compact.ts';
import type { BasicCompactOptions } from '../../../src/seams/compaction/basic-compact.ts';
import { toolResultPrune } from '../../../src/seams/compaction/tool-result-prune.ts';
import type { ToolResultPruneConfig } from '../../../src/seams/compaction/tool-result-prune.ts';
import { estimateHeader, estimateMessage } from '../../../src/seams/token-meter/estimate.ts';
import { tokenMeter } from '../../../src/seams/token-meter/session-token-meter.ts';
import { ScriptedModel, fails, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { bench } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';

export interface CompactBenchOptions {
  readonly compact?: BasicCompactOptions;
  /** Absent: no pruner. */
  readonly prune?: ToolResultPruneConfig;
}

/** The whole harness with the meter and compaction; `script` answers conversation and summaries alike. */
export async function compactBench(
  script: readonly ScriptedReply[] = [],
  { compact = {}, prune }: CompactBenchOptions = {},
): Promise<Bench> {
  const b = await bench(script);
  await mountCompaction(b.ctx, { compact, ...(prune && { prune }) });
  return b;
}

export async function mountCompaction(ctx: Context, { compact = {}, prune }: CompactBenchOptions): Promise<void> {
  await ctx.plugin(tokenMeter, undefined);
  if (prune) await ctx.plugin(toolResultPrune, prune);
  await ctx.plugin(basicCompact, compact);
}

/** Makes the scripted model know its window, and refuse requests that do not fit, as providers do. */
export function withWindow(model: ScriptedModel, window: number): ScriptedModel {
  const stream = model.stream.bind(model);
  model.resolveModelContext = async () => ({ contextWindow: window });
  model.stream = (options) => {
    if (priceOf(options) <= window) return stream(options);
    model.requests.push(options);
    return new ScriptedModel([fails('CONTEXT_WINDOW_EXCEEDED')]).stream(options);
  };
  return model;
}

/** Answers requests for a summary by itself; everything else stays with the script. */
export function summarizesAs(model: ScriptedModel, answer: (options: GenerateOptions) => string): GenerateOptions[] {
  const stream = model.stream.bind(model);
  const asked: GenerateOptions[] = [];
  model.stream = (options) => {
    if (options.purpose !== 'compaction') return stream(options);
    asked.push(options);
    return new ScriptedModel([says(answer(options))]).stream(options);
  };
  return asked;
}

/** Our own price of a whole request, in tokens. */
export function priceOf({ messages, system, tools }: GenerateOptions): number {
  const header = { config: { provider: 'p', model: 'm' }, ...(system && { system }), ...(tools && { tools }) };
  return estimateHeader(header) + messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/** Every request of the log gives the digest that was logged when it was sent. */
export function isReproducible(session: Session): boolean {
  const requests = [...rebuildRequests(session.events)];
  return requests.length > 0 && requests.every(({ request, sha256 }) => requestDigest(request) === sha256);
}

export function textOf(message: Message | undefined): string {
  return message?.content.map((block) => ('text' in block ? block.text : `<${block.type}>`)).join('') ?? '';
}

export function checkpoints(session: Session): SessionEvent<'user/message'>[] {
  return session.events.filter(
    (event): event is SessionEvent<'user/message'> => event.type === 'user/message' && event.surfaceOp !== 'append',
  );
}
