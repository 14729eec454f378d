import type { ContentBlock, MessageSource } from '../llm/types.ts';
import type { PromptMessageData } from '../session/types.ts';
import type { HookContext } from './types.ts';

const DELIMITER: ContentBlock = { type: 'text', text: '\n\n## My request:\n' };

/** The logged form of a prompt: its prefix contexts stand before it, and an envelope keeps what was written. */
export function promptMessage(
  content: ContentBlock[],
  source: MessageSource,
  contexts: readonly HookContext[],
): PromptMessageData {
  const prefixes = contexts.filter(isPrefix);
  if (prefixes.length === 0) return { content, source };
  return {
    content: [...prefixes.flatMap((context) => context.content), DELIMITER, ...content],
    source,
    envelope: {
      displayContent: content,
      prefixContexts: prefixes.map(({ source, meta }) => ({ source, ...(meta !== undefined && { meta }) })),
    },
  };
}

/** The contexts that become messages of their own. */
export function separateContexts(contexts: readonly HookContext[]): HookContext[] {
  return contexts.filter((context) => !isPrefix(context));
}

function isPrefix(context: HookContext): boolean {
  return context.placement === 'prompt-prefix';
}
