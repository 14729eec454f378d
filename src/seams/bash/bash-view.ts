import type { ContentBlock } from '../../harness/llm/types.ts';
import type { TerminalCallView, TerminalResultView, ToolResult } from '../../harness/tools/types.ts';
import { exitStatusOf } from './result-text.ts';

export function presentBashCall(args: { command: string; description: string; workdir?: string }): TerminalCallView {
  const { command, description, workdir } = args;
  return { card: 'terminal', title: command, description, ...(workdir && { cwd: workdir }) };
}

/** Works on stored results too, so how the command ended is read from its text. */
export function presentBashResult({ content }: ToolResult): TerminalResultView {
  const output = content.map(textOf).join('\n');
  return { card: 'terminal', output, ...exitStatusOf(output) };
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}
