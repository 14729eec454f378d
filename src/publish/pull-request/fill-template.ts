import type { BodyPart } from '../markdown/body.ts';
import { BODY_MAX } from '../markdown/body.ts';

/** What a pull request says, by what it answers. */
export interface PullParts {
  readonly what: readonly BodyPart[];
  readonly verification: readonly BodyPart[];
  readonly issue: readonly BodyPart[];
  readonly rest: readonly BodyPart[];
}

/**
 * Sets the parts of a pull request under the headings of the repository's own template (U4). The first heading that asks
 * for a part gets it; what no heading asks for stands before the template's first heading, or after its last. Comments of
 * the template are instructions to its author and go, as does what it says of itself before its text; its boxes are for
 * people to tick, so that none is. Pure.
 */
export function fillTemplate(template: string, parts: PullParts): BodyPart[] {
  const left = { what: parts.what, verification: parts.verification, issue: parts.issue };
  const sections = sectionsOf(bareText(template)).map(({ heading, text }) => {
    const asked = KINDS.find((kind) => left[kind].length > 0 && ASKS[kind].test(heading));
    const answer = asked ? left[asked] : [];
    if (asked) left[asked] = [];
    return [...said(heading), ...answer, ...said(asked ? boxesOf(text) : text)];
  });
  return [...left.what, ...sections.flat(), ...left.verification, ...parts.rest, ...left.issue];
}

function bareText(template: string): string {
  return template
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^---\n(?=[\w-]+:)[\s\S]*?\n---(?:\n|$)/, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .slice(0, BODY_MAX) // no more could be shown
    .replace(/[\ud800-\udbff]$/, '')
    .replaceAll(/^([ \t]*(?:[-*+]|\d+[.)]) )\[x\]/gim, '$1[ ]');
}

const KINDS = ['issue', 'verification', 'what'] as const;

const ASKS: Readonly<Record<(typeof KINDS)[number], RegExp>> = {
  issue: /\b(issues?|tickets?|fixes|closes|related|references?)\b/i,
  verification: /\b(tests?|tested|testing|verif\w*|validat\w*|qa)\b/i,
  what: /\b(what|why|summary|descri\w*|changes?|overview|purpose|motivation|context|proposed)\b/i,
};

interface Section {
  /** The whole line; empty before the first heading. */
  readonly heading: string;
  readonly text: string;
}

/** What follows belongs to the last: each is made inert for itself, which takes its time. */
const MAX_SECTIONS = 100;
const HEADING = /^#{1,6} |^\*\*[^*]+\*\*:?\s*$/;

/** What looks like a heading there is none. */
function codeLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const [, ticks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const wasOpen = fence !== undefined;
    if (ticks && fence === undefined) fence = ticks;
    else if (ticks && fence && ticks.startsWith(fence)) fence = undefined;
    return wasOpen || fence !== undefined;
  });
}

function sectionsOf(template: string): Section[] {
  const lines = template.split('\n');
  const isCode = codeLines(lines);
  const starts = lines.flatMap((line, at) => (!isCode[at] && HEADING.test(line) ? [at] : [])).slice(0, MAX_SECTIONS);
  const before = { heading: '', text: lines.slice(0, starts[0] ?? lines.length).join('\n') };
  const sections = starts.map((start, i) => ({
    heading: lines[start]!,
    text: lines.slice(start + 1, starts[i + 1] ?? lines.length).join('\n'),
  }));
  return [before, ...sections];
}

/** Of an answered section only its boxes stay: the rest asked for what stands there now. */
function boxesOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^\s*(?:[-*+]|\d+[.)]) \[ \] /.test(line))
    .join('\n');
}

/** A template closes no issue and calls nobody by itself. */
function said(text: string): BodyPart[] {
  return text.trim() === '' ? [] : [{ kind: 'said', text: text.trim() }];
}
