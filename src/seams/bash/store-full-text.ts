import type { Context } from '../../harness/kernel/context.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';

/** What is needed of the spill store. */
interface TextStore {
  saveText(input: {
    owner: { sessionId: SessionId };
    source: { toolName: string; callId: CallId; label: string };
    suggestedName: string;
    content: string;
  }): Promise<{ locator: string; retrievalHint: string }>;
}

export interface StoredText {
  locator: string;
  retrievalHint: string;
}

/** Keeps the whole of a text that the model sees only a part of. Best effort: without an owner or a working store, `undefined`. */
export async function storeFullText(
  ctx: Context,
  exec: ToolExecution,
  label: string,
  content: string,
): Promise<StoredText | undefined> {
  const store = ctx.get('spillStore') as TextStore | undefined;
  if (!store || !exec.agent) return undefined;
  const source = { toolName: exec.name, callId: exec.callId, label };
  const owner = { sessionId: exec.agent.session.id };
  try {
    return await store.saveText({ owner, source, suggestedName: `${exec.name}-${label}.txt`, content });
  } catch {
    // The part that is shown is worth more than an error about the part that is not.
    return undefined;
  }
}
