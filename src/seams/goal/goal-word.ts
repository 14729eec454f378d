/** What the text of a goal command asks for (commands.md, section 4). */
export type GoalWord =
  | { readonly kind: 'show' | 'clear' | 'pause' | 'resume' }
  | { readonly kind: 'edit'; readonly objective: string }
  | { readonly kind: 'create'; readonly objective: string };

/** A single word is one only as the whole text: `pause after the tests` is an objective. Pure. */
export function goalWord(text: string): GoalWord {
  const input = text.trim();
  if (input === '') return { kind: 'show' };
  const word = /^(clear|pause|resume)$/i.exec(input)?.[1]?.toLowerCase();
  if (word) return { kind: word as 'clear' | 'pause' | 'resume' };
  const edit = /^edit(?:\s+|$)/i.exec(input);
  if (edit) return { kind: 'edit', objective: input.slice(edit[0].length).trim() };
  return { kind: 'create', objective: input };
}
