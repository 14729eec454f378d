import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import { breakOwnTags } from './own-tags.ts';

/** A word of the host to the model, as a message of its own (PR16); what commands printed stands in it as data. */
export function hostNote(text: string): { content: ContentBlock[]; source: MessageSource } {
  return {
    content: [{ type: 'text', text: `<host-note>\n${breakOwnTags(text)}\n</host-note>` }],
    source: { kind: 'plugin', plugin: 'bot' },
  };
}
