import type { Context } from '../../harness/kernel/context.ts';
import { BlockAssembler } from '../../harness/llm/block-assembler.ts';
import { HarnessError, LlmError } from '../../harness/llm/errors.ts';
import type { FinishReason, LlmCallConfig } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SummarizationInput } from './types.ts';
import '../../harness/llm/auxiliary-call.ts';

export interface SummaryCall {
  readonly session: Session;
  /** Route, sampling and output limit. */
  readonly config: LlmCallConfig;
  readonly signal: AbortSignal | undefined;
}

/**
 * One model call beside the conversation. Its text is the summary; what it thought or wanted to call is dropped. A
 * reply with a call or without text is asked for once more. What was paid is logged, whatever came of it.
 * @throws HarnessError `COMPACT_NO_SUMMARY`; what the adapter throws passes
 */
export async function callForSummary(ctx: Context, input: SummarizationInput, call: SummaryCall): Promise<string> {
  const first = await ask(ctx, input, call);
  if (first.text !== '' && !first.hasCall) return first.text;
  const text = (await ask(ctx, input, call)).text || first.text;
  if (text === '') throw noSummary('the model wrote no text');
  return text;
}

async function ask(ctx: Context, input: SummarizationInput, { session, config, signal }: SummaryCall) {
  const assembler = new BlockAssembler();
  const options = { ...config, ...input, purpose: 'compaction' as const, sessionId: session.id };
  try {
    for await (const chunk of ctx.llm.stream({ ...options, ...(signal && { signal }) })) assembler.push(chunk);
  } finally {
    logUse(session, config, assembler);
  }
  signal?.throwIfAborted();
  mustBeWhole(assembler.finish);
  const blocks = assembler.blocks();
  return {
    text: blocks
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n')
      .trim(),
    hasCall: blocks.some(({ type }) => type === 'tool-call'),
  };
}

function logUse(session: Session, { provider, model }: LlmCallConfig, { usage }: BlockAssembler): void {
  const turn = session.openTurn;
  if (usage && turn !== undefined)
    session.append('llm/auxiliary', { turn, purpose: 'compaction', provider, model, usage });
}

function mustBeWhole(finish: FinishReason): void {
  if (finish.kind === 'max-tokens') throw noSummary('it was cut at the output limit');
  if (finish.kind !== 'error' && finish.kind !== 'aborted') return;
  const { message, code, ...facts } = finish.failure;
  throw new LlmError(message, code, facts);
}

function noSummary(why: string): HarnessError {
  return new HarnessError(`no usable summary: ${why}`, 'COMPACT_NO_SUMMARY');
}
