import type { ContentBlock } from '../../harness/llm/types.ts';

export interface PruneLimits {
  readonly thresholdChars: number;
  readonly headChars: number;
  readonly tailChars: number;
}

const MARKER = '\n\n[... tool result middle pruned ...]\n\n';

/** Length of all text, in Unicode code points; other blocks cost nothing. */
export function textLengthOf(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? codePoints(block.text) : 0), 0);
}

/**
 * Keeps head and tail of the text over all blocks and puts a marker where the middle was. Blocks that are no text stay
 * where they are; text blocks of which nothing is left go. Pure.
 */
export function pruneContent(content: readonly ContentBlock[], { headChars, tailChars }: PruneLimits): ContentBlock[] {
  const tailStart = textLengthOf(content) - tailChars;
  let at = 0;
  let isMarked = false;
  return content.flatMap((block): ContentBlock[] => {
    if (block.type !== 'text') return [block];
    const points = [...block.text];
    const [from, to] = [at, (at += points.length)];
    const head = points.slice(0, Math.max(0, headChars - from)).join('');
    const tail = points.slice(Math.max(0, tailStart - from)).join('');
    const marker = !isMarked && to > headChars ? MARKER : '';
    isMarked ||= marker !== '';
    const text = `${head}${marker}${tail}`;
    return text === '' ? [] : [{ ...block, text }];
  });
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
