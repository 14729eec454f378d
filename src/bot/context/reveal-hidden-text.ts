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

/** Characters without width or ink; of variation selectors, which follow visible ones in emoji, only the second in a row. */
const ZERO_WIDTH =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u00ad\u115f\u1160\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Tag characters and the variation selectors beyond the first sixteen: both can carry a whole hidden text. */
const TAGS = /[\u{e0000}-\u{e0fff}]/gu;

/** Ours, exactly as `publish/markers.ts` writes them; they say nothing to a model. */
const OWN_MARKER =
  /<!-- dsh:(?:job|session|review|suggestions|cause|finding|reply|refusal|ours|titled) [\w.-]+(?: [\w.-]+){0,2} -->/g;

/**
 * Shows the model what a person does not see in a body (X5): invisible characters are removed and counted, HTML comments,
 * folded parts and image texts are shown and named as hidden. Pure.
 */
export function revealHiddenText(body: string): RevealedText {
  const removed = { zeroWidth: count(body, ZERO_WIDTH), bidi: count(body, BIDI), tags: count(body, TAGS) };
  const visible = body.replaceAll(ZERO_WIDTH, '').replaceAll(BIDI, '').replaceAll(TAGS, '').replaceAll(OWN_MARKER, '');
  const text = visible
    .replaceAll(/<!--([\s\S]*?)(?:--!?>|$)/g, (_, inner: string) => `[hidden comment: ${inner.trim()}]`)
    .replaceAll(/<summary\b[^>]*>([\s\S]*?)<\/summary>/gi, (_, inner: string) => `[folded: ${inner.trim()}]`)
    .replaceAll(/<\/?details\b[^>]*>/gi, '')
    .replaceAll(/<img\b[^>]*>/gi, (tag) => `[image text: ${altOf(tag)}]`)
    .replaceAll(/!\[([^\]]*)\]\(([^)]*)\)/g, (_, alt: string, url: string) => `[image text: ${alt}](${url})`)
    .replaceAll(/^ {0,3}\[[^\]\n]+\]:[ \t]*\S+[ \t]+["'(].*$/gm, (line) => `[hidden link title: ${line.trim()}]`);
  return { text, removed, shown: text !== visible };
}

/** Shows code with its invisible characters as code points: in a diff they are what a reviewer must see. Pure. */
export function showInvisible(code: string): string {
  const codePoint = (char: string) => `[U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`;
  return [ZERO_WIDTH, BIDI, TAGS].reduce((text, pattern) => text.replaceAll(pattern, codePoint), code);
}

function altOf(tag: string): string {
  const alt = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  return alt?.slice(1).find((value) => value !== undefined) ?? '';
}

function count(body: string, pattern: RegExp): number {
  return body.match(pattern)?.length ?? 0;
}
