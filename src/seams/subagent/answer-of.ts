import { HarnessError } from '../../harness/llm/errors.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SubagentResult } from './types.ts';

/** The text of a child that finished. Throws `SUBAGENT_FAILED`: what a child said before it failed is no answer. */
export function answerOf({ stopReason, output }: SubagentResult): string {
  if (stopReason === 'completed') return textOf(output) || '(the subagent said nothing)';
  throw new HarnessError(
    `the subagent did not finish (${stopReason}) — do the work here, or give it a smaller task`,
    'SUBAGENT_FAILED',
  );
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
