import type { HookContext } from '../agent/types.ts';
import type { ContentBlock, MessageSource } from '../llm/types.ts';
import type { PromptMessageData } from './types.ts';

const DELIMITER: ContentBlock = { type: 'text', text: '\n\n## My request:\n' };

/** A prompt with its prefix contexts put before it; the envelope keeps what was written. */
export function bakePrompt(
  content: ContentBlock[],
  source: MessageSource,
  prefixContexts: readonly HookContext[],
): PromptMessageData {
  if (prefixContexts.length === 0) return { content, source };
  return {
    content: [...prefixContexts.flatMap((context) => context.content), DELIMITER, ...content],
    source,
    envelope: {
      displayContent: content,
      prefixContexts: prefixContexts.map(({ source, meta }) => ({ source, ...(meta !== undefined && { meta }) })),
    },
  };
}
