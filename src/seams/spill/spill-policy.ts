import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { PostToolDecision, ToolExecution, ToolExecutionResult } from '../../harness/tools/types.ts';
import type { SpillRef } from './spill-store.ts';
import { spilledText } from './spilled-text.ts';

export interface SpillPolicyConfig {
  /** Largest result, in UTF-8 bytes, that the model gets as it is. Without it nothing is bounded. */
  maxInlineBytes?: number;
}

/** It fetches what was stored: its own results would be stored and read again without end. */
const FETCHING_TOOL = 'read';

/**
 * Stores large results and leaves head, tail and a pointer in their place. It judges what the listeners inside it have
 * made of a result. Throws `SPILL_CONFIG_INVALID` when mounted with a cap that is no whole number from 0.
 */
export const spillPolicy: Plugin<SpillPolicyConfig | undefined> = {
  name: 'spill-policy',
  apply(ctx: Context, { maxInlineBytes } = {}) {
    if (maxInlineBytes === undefined) return;
    assertCap(maxInlineBytes);
    ctx.on(
      'tools/post-execute',
      async (exec, result, next) => boundDecision(ctx, exec, { result, decision: await next() }, maxInlineBytes),
      { prepend: true },
    );
  },
};

function assertCap(bytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return;
  throw new HarnessError(`spill: maxInlineBytes must be a whole number from 0, not ${bytes}`, 'SPILL_CONFIG_INVALID');
}

async function boundDecision(
  ctx: Context,
  exec: Readonly<ToolExecution>,
  { result, decision }: { result: Readonly<ToolExecutionResult>; decision: PostToolDecision },
  maxBytes: number,
): Promise<PostToolDecision> {
  if (decision.kind === 'block' || exec.name === FETCHING_TOOL) return decision;
  const full = plainText(decision.content ?? result.content);
  if (full === undefined || Buffer.byteLength(full) <= maxBytes) return decision;
  const ref = await store(ctx, exec, full);
  const text = ref && spilledText(full, ref, maxBytes);
  return text === undefined ? decision : { ...decision, content: [{ type: 'text', text }] };
}

/** The text as the model would read it, if the result is nothing but text. */
function plainText(content: readonly ContentBlock[]): string | undefined {
  const texts = content.map((block) => (block.type === 'text' ? block.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('\n');
}

/** Best effort: a result is worth more than its copy. */
async function store(ctx: Context, exec: Readonly<ToolExecution>, content: string): Promise<SpillRef | undefined> {
  try {
    return await save(ctx, exec, content);
  } catch (error) {
    ctx.notify('kernel/error', error, 'spill');
    return undefined;
  }
}

async function save(ctx: Context, { agent, name, callId }: ToolExecution, content: string): Promise<SpillRef> {
  const spillStore = ctx.get('spillStore');
  if (!spillStore) throw new HarnessError(`nothing can store the long result of ${name}`, 'SPILL_NO_STORE');
  if (!agent) throw new HarnessError(`the long result of ${name} belongs to no session`, 'SPILL_NO_OWNER');
  return spillStore.saveText({
    owner: { sessionId: agent.session.id },
    source: { toolName: name, callId, label: 'result' },
    suggestedName: `${name}.txt`,
    content,
  });
}
