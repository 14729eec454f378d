import { HarnessError } from '../../harness/llm/errors.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SubagentPatch, SubagentResult } from './types.ts';

/** The text of a child that finished. Throws `SUBAGENT_FAILED`: what a child said before it failed is no answer. */
export function answerOf({ stopReason, output, patch }: SubagentResult): string {
  if (stopReason === 'completed') {
    const said = textOf(output) || '(the subagent said nothing)';
    return patch ? `${said}\n\n${patchText(patch)}` : said;
  }
  throw new HarnessError(
    `the subagent did not finish (${stopReason}) — do the work here, or give it a smaller task`,
    'SUBAGENT_FAILED',
  );
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Whoever wants more of it takes it over and looks. */
const MAX_DIFF_CHARS = 100_000;

function patchText({ id, stat, diff, leftOut }: SubagentPatch): string {
  const missing = leftOut.length > 0 ? `\nNot in it: ${leftOut.join(', ')}.` : '';
  const shown =
    diff.length > MAX_DIFF_CHARS ? `${diff.slice(0, MAX_DIFF_CHARS)}\n[cut here: the patch is longer]` : diff;
  return `Its changes are patch ${id}, and not in your tree yet.${missing}\n${stat}\n\n${shown}`;
}
