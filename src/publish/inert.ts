import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/**
 * Makes Markdown from the model, a tool or a file harmless in a comment (P7, X7): it mentions and cross-links nobody,
 * commands nothing, shows no HTML and no image, links only to https, and leaves no fence open.
 */
export function makeInert(markdown: string): string {
  const text = markdown.replaceAll('\r\n', '\n');
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const edits: Edit[] = [];
  collectEdits(tree, text, edits);
  return closeFence(tree, applyEdits(text, edits));
}

/** Makes plain text harmless where we place it inside one line of our own Markdown: a title, a path, an error. */
export function inertInline(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  const escaped = oneLine.replaceAll('&', '&amp;').replaceAll(/[\\`*_{}[\]<>|~!]/g, '\\$&');
  return defuse(escaped).replace(/^([/#>+-]|\d+[.)])/, '&#8203;$1');
}

/** Makes one line of plain text harmless where Markdown is not read: the title of a pull request, a commit message. */
export function inertPlain(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  return oneLine
    .replaceAll(LIVE, '$&\u200b')
    .replaceAll(/\/(?:issues|pull|pulls|discussions|commit)\/(?=\w)/gi, '$&\u200b')
    .replace(/^\//, '\u2215');
}

/** A code block whose fence is longer than any run of backticks inside. */
export function fenced(text: string, language = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function collectEdits(node: Nodes, source: string, edits: Edit[]): void {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? 0;
  const raw = source.slice(start, end);
  switch (node.type) {
    case 'text':
      // Parsers differ in what they take for a tag, so none is left to them.
      edits.push({ start, end, text: defuseLines(raw.replaceAll(/\\?</g, '&lt;'), source, start) });
      return;
    case 'html':
      edits.push({
        start,
        end,
        text: defuseLines(raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), source, start),
      });
      return;
    case 'image':
    case 'imageReference':
      edits.push({ start, end, text: `(image: ${inertInline(node.alt ?? '')})` });
      return;
    case 'definition':
      if (!/^https:/i.test(node.url)) edits.push({ start, end, text: inertInline(raw) });
      return;
    case 'link':
      if (!/^https:/i.test(node.url) || isCrossLink(node.url)) edits.push({ start, end, text: plainLink(raw) });
      else node.children.forEach((child) => collectEdits(child, source, edits));
      return;
    default:
      if ('children' in node) node.children.forEach((child) => collectEdits(child, source, edits));
  }
}

/** A full address of an issue, pull request or commit makes a back-reference there. */
function isCrossLink(url: string): boolean {
  return /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/(issues|pull|pulls|discussions|commit)\//i.test(url);
}

function plainLink(raw: string): string {
  const run = Math.max(1, ...(raw.match(/`+/g) ?? []).map((ticks) => ticks.length + 1));
  const fence = '`'.repeat(run);
  return `${fence}${raw.replaceAll('\n', ' ')}${fence}`;
}

/** What GitHub turns into a notification or a cross-reference. */
const LIVE = /@(?=[A-Za-z0-9])|#(?=\d)|\bGH-(?=\d)/gi;

/** `&#8203;` is a zero-width space: it breaks the pattern and is not seen. */
function defuse(text: string): string {
  return text.replaceAll(LIVE, '$&&#8203;');
}

function defuseLines(raw: string, source: string, start: number): string {
  const atLineStart =
    start === 0 ||
    /(^|\n)[\s>*+\-\d.)\u200b-\u200f\u2060\ufeff\u00a0]*$/.test(source.slice(Math.max(0, start - 200), start));
  return defuse(raw)
    .split('\n')
    .map((line, i) =>
      i > 0 || atLineStart ? line.replace(/^([\s\u200b-\u200f\u2060\ufeff\u00a0]*)\//, '$1&#47;') : line,
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

/** A fence the text left open would swallow everything we write behind it; inside a list or quote it ends with them. */
function closeFence(tree: Root, text: string): string {
  const last = tree.children.at(-1);
  if (last?.type !== 'code') return text;
  const lines = text.trimEnd().split('\n');
  const first = lines[(last.position?.start.line ?? 1) - 1] ?? '';
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(first)?.[1];
  if (!fence) return text;
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
  const closed = last.position?.start.line !== lines.length && closing.test(lines.at(-1) ?? '');
  return closed ? text : `${text.replace(/\n$/, '')}\n${fence}`;
}
