import type { HumanRequest } from '../../store/records.ts';

/** How a job's turn begins: with a person's words, with the answer that a parked turn waited for, or where a worker was lost. */
export type Opening =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'answer'; readonly request: HumanRequest }
  /** `turn` is the one that was cut off. */
  | { readonly kind: 'resume'; readonly turn: number };
