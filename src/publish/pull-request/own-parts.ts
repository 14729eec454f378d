import { createHash } from 'node:crypto';
import type { BodyPart } from '../markdown/body.ts';
import { strictLength, BODY_MAX } from '../markdown/body.ts';

/** What of a pull request's text is ours, by what it says. */
export type OwnPart = 'what' | 'verification' | 'issue' | 'rest';

const END = '<!-- dsh:ours end -->';
/** Each mark begins a line: in a list or a quote of a person's the part is theirs. One without its end ends at none of another. */
const OWN_PART =
  /^<!-- dsh:ours (what|verification|issue|rest)( [0-9a-f]{12})? -->((?:(?!<!-- dsh:ours )[\s\S])*?)^<!-- dsh:ours end -->/gm;
const TITLE = /<!-- dsh:titled ([0-9a-f]{12}) -->/;

/** Sets hidden marks around a part, by which it is found again. Pure. */
export function ownPart(kind: OwnPart, parts: readonly BodyPart[]): BodyPart[] {
  const mark = (text: string): BodyPart => ({ kind: 'markdown', text });
  return [mark(`<!-- dsh:ours ${kind} -->`), ...parts, mark(END)];
}

/** Marks the title as the one that we gave. Pure. */
export function titleMarker(title: string): string {
  return `<!-- dsh:titled ${digestOf(title)} -->`;
}

/** Writes into each mark what stands there, so that a person's edit shows. Pure. */
export function sealParts(body: string): string {
  return body.replaceAll(OWN_PART, (_, kind: OwnPart, _digest, text: string) => sealed(kind, text));
}

export interface PullText {
  readonly title: string;
  readonly body: string;
}

/**
 * The text of our open pull request after one more commit. What we wrote and nobody touched is renewed: what was done is
 * told after what had been done, how it was verified and what to look at take the place of what they were. What a person
 * wrote, changed or took out stays so. The title is renewed only on a draft, which said that the work was not done. Pure.
 */
export function renewText(current: PullText & { readonly draft: boolean }, planned: PullText): PullText {
  const title = current.draft && isOurTitle(current) ? planned.title : current.title;
  const fresh = new Map([...planned.body.matchAll(OWN_PART)].map(([, kind, , text]) => [kind, text!.trim()]));
  const renewed = (how: (kind: OwnPart, text: string) => string) =>
    current.body
      .replaceAll(OWN_PART, (whole: string, kind: OwnPart, digest: string | undefined, text: string) =>
        digest?.trim() === digestOf(text) ? sealed(kind, how(kind, text.trim())) : whole,
      )
      .replace(TITLE, title === current.title ? '$&' : titleMarker(title));
  const replaced = (kind: OwnPart, text: string) => fresh.get(kind) ?? text;
  const body = renewed((kind, text) => (kind === 'what' ? toldAfter(text, fresh.get(kind)) : replaced(kind, text)));
  const fitting = [body, renewed(replaced)].find((text) => strictLength(text) <= BODY_MAX);
  return { title, body: fitting ?? current.body };
}

function isOurTitle({ title, body }: PullText): boolean {
  return TITLE.exec(body)?.[1] === digestOf(title);
}

/** Once, whoever tells it again. */
function toldAfter(before: string, now = ''): string {
  const isTold = `\n\n${before.replaceAll('\r\n', '\n')}`.endsWith(`\n\n${now}`);
  return now === '' || isTold ? before : `${before}\n\n${now}`;
}

function sealed(kind: OwnPart, text: string): string {
  const inner = text.trim() === '' ? '' : `${text.trim()}\n\n`;
  return `<!-- dsh:ours ${kind} ${digestOf(text)} -->\n\n${inner}${END}`;
}

/** Of a text, but for how its lines end: a browser sends them back otherwise. */
function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n').trim()).digest('hex').slice(0, 12);
}
