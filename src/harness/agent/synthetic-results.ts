import type { ContentBlock } from '../llm/types.ts';
import type { ToolErrorFacts } from '../session/types.ts';

/** The model-facing part of a result that no tool wrote. */
export interface SyntheticResult {
  readonly content: ContentBlock[];
  readonly isError: true;
  readonly error?: ToolErrorFacts;
}

export const ABORTED_BEFORE_DISPATCH = synthetic('Error: tool call aborted before dispatch', {
  name: 'AbortError',
  code: 'ABORTED_BEFORE_DISPATCH',
});

export const ABORTED = synthetic('Error: tool call aborted', { name: 'AbortError', code: 'ABORTED' });

export const NOT_STARTED = synthetic(
  'Error: the tool call was not started, so nothing happened. It may be made again if it is still wanted.',
  { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' },
);

export const OUTCOME_UNKNOWN = synthetic(
  'Error: the tool call was started and its outcome is unknown. Make it again only if it reads or is safe to repeat; ' +
    'otherwise look at the state it would have changed, or ask.',
  { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
);

export const WITHDRAWN = refused('a new message came before this was decided, so the request was withdrawn');

/** As a denied call ends: the reason, and no code. */
export function refused(reason: string): SyntheticResult {
  return synthetic(`Error: ${reason}`);
}

function synthetic(text: string, error?: ToolErrorFacts): SyntheticResult {
  return Object.freeze({ content: [{ type: 'text', text }], isError: true, ...(error && { error }) } as const);
}
