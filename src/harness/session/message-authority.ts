import type { MessageSource } from '../llm/types.ts';

/** Sources other packages merge in are known here by shape alone. */
type AnySource = MessageSource | { readonly kind: 'github'; readonly trusted?: unknown };

/** Whether a person wrote it: titles and references quote nothing else. */
export function isHumanSource(source: AnySource): boolean {
  return source.kind === 'user' || source.kind === 'github';
}

/** Whether it speaks with a person's authority, which is never derived from its text. */
export function hasAuthority(source: AnySource): boolean {
  return source.kind === 'user' || (source.kind === 'github' && source.trusted === true);
}
