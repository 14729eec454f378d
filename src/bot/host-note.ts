import type { ContentBlock, MessageSource } from '../harness/llm/types.ts';

/** A word of the host to the model, as a message of its own (PR16). */
export function hostNote(text: string): { content: ContentBlock[]; source: MessageSource } {
  const safe = text.replaceAll(/<\/?host-note>/gi, '');
  return {
    content: [{ type: 'text', text: `<host-note>\n${safe}\n</host-note>` }],
    source: { kind: 'plugin', plugin: 'bot' },
  };
}
