import type { AskUserQuestionItem } from '../../seams/user-interaction/types.ts';

/** What one task-list box of a request's comment stands for. */
export type RequestBox =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'option'; readonly question: string; readonly label: string }
  | { readonly kind: 'submit' };

type Asked =
  { readonly kind: 'approval' } | { readonly kind: 'question'; readonly questions: readonly AskUserQuestionItem[] };

/** The boxes of a request's comment in their order: by place they are known when somebody ticks one. Pure. */
export function boxesOf(asked: Asked): RequestBox[] {
  if (asked.kind === 'approval') return [{ kind: 'approve' }, { kind: 'deny' }];
  const options = asked.questions.flatMap(({ id, options = [] }) =>
    options.map(({ label }) => ({ kind: 'option' as const, question: id, label })),
  );
  return needsSubmit(asked.questions) ? [...options, { kind: 'submit' }] : options;
}

/** One single choice settles with its first tick; ticks of anything more are collected until they are submitted. */
function needsSubmit(questions: readonly AskUserQuestionItem[]): boolean {
  const [first, ...others] = questions;
  const hasOptions = questions.some(({ options = [] }) => options.length > 0);
  return hasOptions && (others.length > 0 || first?.multiSelect === true);
}
