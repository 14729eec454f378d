/** What GitHub turns into a notification or a cross-reference. */
export const LIVE = /@(?=[A-Za-z0-9])|#(?=\d)|\bGH\\?-(?=\d)/gi;

const LIVE_IN_MARKDOWN = new RegExp(`(?<!\\\\)&#(?:8203|47);|${LIVE.source}`, 'gi');

/** Text of Markdown that notifies and refers to nobody. `&#8203;` is a zero-width space: it breaks the pattern and is not seen. References we wrote ourselves stay. */
export function defuse(text: string): string {
  return text.replaceAll(LIVE_IN_MARKDOWN, (live) => (live.startsWith('&') ? live : `${live}&#8203;`));
}
