import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import { displayPromptContent } from '../../harness/session/display-prompt-content.ts';
import { isHumanSource } from '../../harness/session/message-authority.ts';
import type { SurfaceEvent } from '../../harness/session/types.ts';
import { isCompactCheckpointSource } from '../compaction/checkpoint.ts';

export interface QuotedMessage {
  readonly role: 'user' | 'assistant' | 'checkpoint';
  readonly text: string;
}

/**
 * What people and the model said to each other, in model order, and the summaries of what was condensed. Neither tools
 * nor reasoning nor contexts, nor what stood before a prompt: a quote never carries an older quote. Pure.
 */
export function projectSurface(surface: readonly SurfaceEvent[]): QuotedMessage[] {
  return surface.flatMap((event) => {
    const quoted = quotedOf(event);
    return quoted && quoted.text !== '' ? [quoted] : [];
  });
}

function quotedOf(event: SurfaceEvent): QuotedMessage | undefined {
  switch (event.type) {
    case 'user/message':
    case 'steering/message':
      return isHumanSource(event.data.source)
        ? { role: 'user', text: textOf(displayPromptContent(event.data)) }
        : checkpoint(event.data);
    case 'context/message':
      return checkpoint(event.data);
    case 'assistant/message':
      return { role: 'assistant', text: textOf(event.data.content) };
    case 'tool/result':
      return undefined;
  }
}

function checkpoint({
  source,
  content,
}: {
  source: MessageSource;
  content: ContentBlock[];
}): QuotedMessage | undefined {
  return isCompactCheckpointSource(source) ? { role: 'checkpoint', text: textOf(content) } : undefined;
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
