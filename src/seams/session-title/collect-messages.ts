import { displayPromptContent } from '../../harness/session/display-prompt-content.ts';
import { isHumanSource } from '../../harness/session/message-authority.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { normalizeSessionTitle } from './normalize-title.ts';
import type { SessionTitleUserMessage } from './types.ts';

/**
 * What people asked, in order, as they wrote it and without what stood before it. Prompts without visible text are
 * passed over. `throughSeq` is inclusive. Pure.
 */
export function collectSessionTitleMessages(
  events: readonly SessionEvent[],
  throughSeq = Infinity,
): SessionTitleUserMessage[] {
  return events.flatMap((event) => (event.seq <= throughSeq ? (titleMessageOf(event) ?? []) : []));
}

export function titleMessageOf(event: SessionEvent): SessionTitleUserMessage | undefined {
  if (event.type !== 'user/message' || !isHumanSource(event.data.source)) return undefined;
  const text = displayPromptContent(event.data)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
  return normalizeSessionTitle(text, Infinity) === undefined ? undefined : { seq: event.seq, text };
}
