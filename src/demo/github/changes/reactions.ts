import type { Hub } from '../hub.ts';
import type { Account, Reaction, ReactionContent } from '../records.ts';

export interface Reactable {
  reactions: Reaction[];
}

/** Reacts once per person and content; `isNew` tells whether it was not there already. No webhook, as on GitHub. */
export function react(
  hub: Hub,
  subject: Reactable,
  user: Account,
  content: ReactionContent,
): { reaction: Reaction; isNew: boolean } {
  const known = subject.reactions.find((reaction) => reaction.user === user && reaction.content === content);
  if (known) return { reaction: known, isNew: false };
  const reaction: Reaction = { id: hub.nextId(), content, user, createdAt: hub.now() };
  subject.reactions.push(reaction);
  return { reaction, isNew: true };
}
