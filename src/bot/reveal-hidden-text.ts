/** What {@link revealHiddenText} took out, by kind, as characters. */
export interface HiddenCounts {
  readonly zeroWidth: number;
  readonly bidi: number;
  readonly tags: number;
}
export interface RevealedText {
  readonly text: string;
  readonly removed: HiddenCounts;
  /** HTML comments, folded parts or image texts were there and are now shown as such. */
  readonly shown: boolean;
}

const ZERO_WIDTH = /[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const TAGS = /[\u{e0000}-\u{e007f}]/gu;

/**
 * Shows the model what a person does not see in a body (X5): invisible characters are removed and counted, HTML comments,
 * folded parts and image texts are shown and named as hidden. Pure.
 */
export function revealHiddenText(body: string): RevealedText {
  const removed = { zeroWidth: count(body, ZERO_WIDTH), bidi: count(body, BIDI), tags: count(body, TAGS) };
  const visible = body.replaceAll(ZERO_WIDTH, '').replaceAll(BIDI, '').replaceAll(TAGS, '');
  const text = visible
    .replaceAll(/<!--([\s\S]*?)(?:-->|$)/g, (_, inner: string) => `[hidden comment: ${inner.trim()}]`)
    .replaceAll(/<summary>([\s\S]*?)<\/summary>/gi, (_, inner: string) => `[folded: ${inner.trim()}]`)
    .replaceAll(/<\/?details[^>]*>/gi, '')
    .replaceAll(/<img[^>]*\balt=["']([^"']*)["'][^>]*>/gi, (_, alt: string) => `[image text: ${alt}]`)
    .replaceAll(/!\[([^\]]*)\]\(([^)]*)\)/g, (_, alt: string, url: string) => `[image text: ${alt}](${url})`);
  return { text, removed, shown: text !== visible };
}

function count(body: string, pattern: RegExp): number {
  return body.match(pattern)?.length ?? 0;
}
