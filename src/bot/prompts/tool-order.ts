import { TOOL_ORDER_REST } from '../../harness/system-prompt/types.ts';
import type { JobKind } from '../../triggers/reading.ts';
import { JOB_TOOLS } from './sections.ts';

/**
 * Not everywhere: what is registered for the job's own agent alone, which a child agent does not know, and what is there only
 * where somebody can be asked. An order that named them elsewhere would be a mistake.
 */
const NOT_ALWAYS: ReadonlySet<string> = new Set([
  'ask_user_question',
  'report_finding',
  'submit_result',
  'submit_plan',
]);

/** The order in which a session sends its tools (PR20); these come last, as `JOB_TOOLS` has them. */
export function toolOrderOf(kind: JobKind): string[] {
  return [...JOB_TOOLS[kind].filter((name) => !NOT_ALWAYS.has(name)), TOOL_ORDER_REST];
}
