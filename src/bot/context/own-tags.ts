/**
 * What stands before the name in `<data-…>` and `<host-note>`, opening or closing, also where several `<` would leave one
 * behind. It starts only where no such character stands before: a row of `<` is looked at once.
 */
const OWN_TAG = /(?<![<\s/])[<\s/]+(?=(?:data-[0-9a-f]+|host-note)\b)/gi;

/** Takes the `<` from what looks like a tag of ours in text from outside, so that it can neither close nor open one (PR56). */
export function breakOwnTags(text: string): string {
  return text.replaceAll(OWN_TAG, (tag) => tag.replaceAll('<', ''));
}
