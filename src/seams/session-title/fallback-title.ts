import { normalizeSessionTitle } from './normalize-title.ts';
import type { SessionTitleConfig, SessionTitleEventData, SessionTitleUserMessage } from './types.ts';

/** The first words of the first message. Undefined without a message, or where not even its first sign fits. Pure. */
export function fallbackSessionTitle(
  [first]: readonly SessionTitleUserMessage[],
  { fallbackMaxWords, fallbackMaxBytes }: SessionTitleConfig,
): SessionTitleEventData | undefined {
  const words = first && normalizeSessionTitle(first.text, Infinity)?.split(' ').slice(0, fallbackMaxWords).join(' ');
  const title = words && normalizeSessionTitle(words, fallbackMaxBytes);
  return first && title ? { title, messageSeqs: [first.seq], source: { kind: 'fallback' } } : undefined;
}
