import type { Nodes, Root } from 'mdast';
import { defuse } from './defuse.ts';
import { fenced, longerTicks } from './fenced.ts';
import { inertInline } from './inert-line.ts';
import { parseMarkdown } from './parse-markdown.ts';

/**
 * Makes Markdown from the model, a tool or a file harmless in a comment (P7, X7): it mentions and cross-links nobody,
 * commands nothing, shows no HTML and no image, links only to https, leaves no fence open, and suggests no change
 * (R4). What is too long, dense or deep to be parsed is shown in a code block.
 */
export function makeInert(markdown: string): string {
  const text = markdown.replaceAll(/\r\n?/g, '\n');
  const tree = parseMarkdown(text);
  if (!tree) return fenced(text);
  const fence = openFence(tree, text);
  const edited = applyEdits(text, editsOf(tree, text));
  const inert = fence ? `${edited.replace(/\n$/, '')}\n${fence}` : edited;
  // Where HTML, a definition or a link became text, what it held or what followed can have another meaning now.
  return inert === text || isInert(inert) ? inert : fenced(text);
}

function isInert(text: string): boolean {
  const tree = parseMarkdown(text);
  if (!tree || openFence(tree, text)) return false;
  return editsOf(tree, text).every((edit) => text.slice(edit.start, edit.end) === edit.text);
}

interface Source {
  readonly text: string;
  /** Nothing in the text can close or open a code span of these. */
  readonly ticks: string;
}
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editsOf(tree: Root, text: string): Edit[] {
  const edits: Edit[] = [];
  collectEdits(tree, { text, ticks: longerTicks(text) }, edits);
  return edits;
}

function collectEdits(node: Nodes, source: Source, edits: Edit[]): void {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? 0;
  const raw = source.text.slice(start, end);
  switch (node.type) {
    case 'text':
      // Parsers differ in what they take for a tag, so none is left to them.
      edits.push({
        start,
        end,
        text: defuseLines(showReferences(raw).replaceAll(/\\?</g, '&lt;'), source.text, start),
      });
      return;
    case 'html':
      edits.push({
        start,
        end,
        text: defuseLines(raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), source.text, start),
      });
      return;
    case 'image':
    case 'imageReference':
      edits.push({ start, end, text: `(image: ${inertInline(node.alt ?? '')})` });
      return;
    case 'definition':
      if (!isHarmlessLink(node.url)) edits.push({ start, end, text: plainLink(source, start, end) });
      return;
    case 'link':
      if (!isHarmlessLink(node.url)) edits.push({ start, end, text: plainLink(source, start, end) });
      else node.children.forEach((child) => collectEdits(child, source, edits));
      return;
    case 'code':
      if (/^suggestion/i.test(node.lang ?? '')) edits.push(withoutInfo(raw, start));
      return;
    default:
      if ('children' in node) node.children.forEach((child) => collectEdits(child, source, edits));
  }
}

/** Leaves the fence of a code block alone: with its info string, GitHub would offer the block as a change to apply. */
function withoutInfo(raw: string, start: number): Edit {
  const [opening = '', fence = ''] = /^\s*((?:`{3,}|~{3,})?)[^\n]*/.exec(raw) ?? [];
  return { start: start + opening.indexOf(fence) + fence.length, end: start + opening.length, text: '' };
}

function isHarmlessLink(url: string): boolean {
  return /^https:/i.test(url) && !isCrossLink(url);
}

/** A full address of an issue, pull request or commit makes a back-reference there. */
function isCrossLink(url: string): boolean {
  return /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/(issues|pull|pulls|discussions|commit)\//i.test(url);
}

/** A link as code; a backtick or backslash beside it must not become part of its fence. */
function plainLink({ text, ticks }: Source, start: number, end: number): string {
  const raw = text.slice(start, end).replaceAll('\n', ' ');
  const before = /[`\\]/.test(text[start - 1] ?? '') ? '&#8203;' : '';
  const after = text[end] === '`' ? '&#8203;' : '';
  const pad = raw.startsWith('`') || raw.endsWith('`') ? ' ' : '';
  return `${before}${ticks}${pad}${raw}${pad}${ticks}${after}`;
}

/**
 * A character reference could stand for any part of a mention, a reference or a command, so it is shown as it was written.
 * The few that people write for HTML's own signs cannot, nor can those we write ourselves.
 */
function showReferences(raw: string): string {
  return raw.replaceAll(/&(?!(?:amp|lt|gt|quot|#8203|#47);)(?=#?[A-Za-z0-9]+;)/g, '&amp;');
}

function defuseLines(raw: string, source: string, start: number): string {
  const before = source.slice(Math.max(0, start - 200), start);
  const onLine = before.slice(before.lastIndexOf('\n') + 1);
  const atLineStart = /^[\s>*+\-\d.)\u200b-\u200f\u2060\ufeff\u00a0]*$/.test(onLine);
  return defuse(raw)
    .split('\n')
    .map((line, i) =>
      i > 0 || atLineStart ? line.replace(/^([\s\u200b-\u200f\u2060\ufeff\u00a0]*)\\?\//, '$1&#47;') : line,
    )
    .join('\n');
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = '';
  let at = 0;
  for (const edit of edits) {
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at);
}

/** The fence the text left open, which would swallow everything we write behind it; inside a list or quote it ends with them. */
function openFence(tree: Root, text: string): string | undefined {
  const last = tree.children.at(-1);
  if (last?.type !== 'code') return undefined;
  const lines = text.trimEnd().split('\n');
  const first = lines[(last.position?.start.line ?? 1) - 1] ?? '';
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(first)?.[1];
  if (!fence) return undefined;
  const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(lines.at(-1) ?? '')?.[1];
  const closed = last.position?.start.line !== lines.length && closing?.startsWith(fence);
  return closed ? undefined : fence;
}
