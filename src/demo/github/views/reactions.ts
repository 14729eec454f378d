import type { Reaction, ReactionContent } from '../records.ts';

export const reactionContents: ReactionContent[] = [
  '+1',
  '-1',
  'laugh',
  'hooray',
  'confused',
  'heart',
  'rocket',
  'eyes',
];

/** The counts that come with an issue or comment. */
export function reactionsView(url: string, reactions: Reaction[]) {
  const counts = reactionContents.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) } as Record<string, number | string>;
}
