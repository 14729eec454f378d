import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { COST_LIMIT, MarkdownCost } from './markdown-cost.ts';

/**
 * Parses GitHub's Markdown, also from strangers: undefined where a text is so long, dense or deep that the parser would
 * take more than some tenths of a second or overflow its stack.
 */
export function parseMarkdown(text: string): Root | undefined {
  return affordableHead(text).length === text.length ? parse(text) : undefined;
}

/** The longest head that ends with a paragraph and is worth parsing: all of a text, in nearly every case. */
export function affordableHead(text: string): string {
  const cost = new MarkdownCost();
  let paragraphEnd = 0;
  for (const { 1: line = '', index } of text.matchAll(/([^\n\r]*)(?:\r\n|[\n\r]|$)/g)) {
    if (cost.add(line) > COST_LIMIT) return text.slice(0, paragraphEnd);
    if (/^[ \t]*$/.test(line)) paragraphEnd = index;
  }
  return text;
}

function parse(text: string): Root | undefined {
  try {
    return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  } catch (error) {
    if (Error.isError(error) && error.name === 'RangeError') return undefined;
    throw error;
  }
}
