import type { ContentBlock, Message } from '../../harness/llm/types.ts';
import type { EpochHeader } from '../../harness/session/types.ts';

const CHARS_PER_TOKEN = 4;
/** What the wire adds around a block, a message or a part of the header. */
const FRAME_TOKENS = 4;

/** Price of one message in tokens. The same for everybody: no model is asked. */
export function estimateMessage({ content }: Message): number {
  return estimateBlocks(content) + FRAME_TOKENS;
}

/** Price of everything of a request besides its history; sampling settings cost nothing. */
export function estimateHeader({ system, tools, messagePrefix = [] }: EpochHeader): number {
  const prefix = messagePrefix.reduce((sum, message) => sum + estimateMessage(message), 0);
  const instructions = system ? estimateText(system) + FRAME_TOKENS : 0;
  const schemas = tools?.length ? estimateText(JSON.stringify(tools)) + FRAME_TOKENS : 0;
  return prefix + instructions + schemas;
}

function estimateBlocks(blocks: readonly ContentBlock[]): number {
  return blocks.reduce((sum, block) => sum + estimateBlock(block), 0);
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return estimateText(block.text) + FRAME_TOKENS;
    case 'tool-call':
      return estimateText(block.name) + estimateText(block.arguments) + FRAME_TOKENS;
    case 'tool-result':
      return estimateBlocks(block.content) + FRAME_TOKENS;
    default:
      return estimateText(JSON.stringify(block)) + FRAME_TOKENS;
  }
}

function estimateText(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
