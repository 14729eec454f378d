import type { ContentBlock } from '../llm/types.ts';
import type { PromptMessageData } from './types.ts';

/** What the human wrote, without the contexts that were put before it. For titles, transcripts and references. */
export function displayPromptContent({ envelope, content }: PromptMessageData): readonly ContentBlock[] {
  return envelope?.displayContent ?? content;
}
