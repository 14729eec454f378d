import type { Nodes, Paragraph, Parents } from 'mdast';
import { affordableHead, parseMarkdown } from '../publish/markdown/parse-markdown.ts';

/** A line that speaks to the bot: `start` is where it begins in `body`, `textStart` where the words after the address do. */
export interface CommandLine {
  readonly start: number;
  readonly textStart: number;
  readonly lineEnd: number;
  readonly address: 'slash' | 'mention';
}

export interface Addresses {
  /** Words with their slash, such as `/dsh`; compared without regard to case. */
  readonly aliases: readonly string[];
  /** The app's slug: `@<slug>` addresses the bot as well. */
  readonly appSlug?: string;
}

/**
 * Finds the lines of a comment that are commands (T1, T2). Only Markdown paragraphs, in list items or not, can hold one:
 * code, quotes, headings, tables, task-list items, HTML and link texts are what people quote, not what they say.
 * What follows more Markdown than a parser can bear (dense, deeply nested) is the text of a command at most.
 */
export function findCommandLines(body: string, addresses: Addresses): CommandLine[] {
  const tree = parseMarkdown(affordableHead(body));
  return tree ? paragraphsOf(tree).flatMap((paragraph) => commandLinesOf(body, paragraph, addresses)) : [];
}

function paragraphsOf(node: Nodes): Paragraph[] {
  if (node.type === 'paragraph') return [node];
  if (node.type === 'root' || node.type === 'list') return childrenOf(node);
  if (node.type === 'listItem' && node.checked == null) return childrenOf(node);
  return [];
}

function childrenOf(node: Parents): Paragraph[] {
  return node.children.flatMap((child) => paragraphsOf(child));
}

function commandLinesOf(body: string, paragraph: Paragraph, addresses: Addresses): CommandLine[] {
  const plain = plainRanges(paragraph);
  const end = paragraph.position?.end.offset ?? 0;
  const found: CommandLine[] = [];
  let start = paragraph.position?.start.offset ?? 0;
  while (start < end) {
    const newline = body.indexOf('\n', start);
    const lineEnd = newline < 0 || newline > end ? end : newline;
    const line = readLine(body, start, lineEnd, addresses);
    if (line && plain.some(([from, to]) => from <= line.word && line.word < to)) found.push(line.command);
    start = lineEnd + 1;
  }
  return found;
}

/** The stretches of a paragraph that are plain text, so neither code, link, image nor HTML. */
function plainRanges(paragraph: Paragraph): [number, number][] {
  return paragraph.children
    .filter((child) => child.type === 'text')
    .map((child) => [child.position?.start.offset ?? 0, child.position?.end.offset ?? 0]);
}

const INVISIBLE = String.raw`[\s\u00a0\u200b-\u200f\u2060\ufeff]`;
const LEAD = new RegExp(`^${INVISIBLE}*`);

function readLine(body: string, start: number, lineEnd: number, addresses: Addresses) {
  const line = body.slice(start, lineEnd);
  const lead = LEAD.exec(line)?.[0].length ?? 0;
  const rest = line.slice(lead);
  const word = /^[^\s\u00a0]+/.exec(rest)?.[0] ?? '';
  const address = addressOf(word, addresses);
  if (!address) return undefined;
  const command: CommandLine = { start, textStart: start + lead + word.length, lineEnd, address };
  return { word: start + lead, command };
}

function addressOf(word: string, { aliases, appSlug }: Addresses): CommandLine['address'] | undefined {
  const lower = word.toLowerCase();
  if (aliases.some((alias) => alias.toLowerCase() === lower)) return 'slash';
  if (appSlug && lower === `@${appSlug.toLowerCase()}`) return 'mention';
  return undefined;
}
