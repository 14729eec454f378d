import { TOOL_ORDER_REST } from '../../harness/system-prompt/types.ts';
import type { JobKind } from '../../triggers/decide.ts';
import { JOB_TOOLS } from './sections.ts';

/** Registered for the job's own agent alone: a child agent knows no such name, and an order that named it would be a mistake there. */
const OF_THE_JOB_ALONE: ReadonlySet<string> = new Set(['report_finding', 'submit_result', 'submit_plan']);

/** The order in which a session sends its tools (PR20); the job's own come last, as `JOB_TOOLS` has them. */
export function toolOrderOf(kind: JobKind): string[] {
  return [...JOB_TOOLS[kind].filter((name) => !OF_THE_JOB_ALONE.has(name)), TOOL_ORDER_REST];
}
