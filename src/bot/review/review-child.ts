import type { SessionEvent } from '../../harness/session/types.ts';
import type { StructuredOutputSchema } from '../../harness/tools/output-schema.ts';
import { runSubagent } from '../../seams/subagent/run-subagent.ts';
import type { SubagentRun } from '../../seams/subagent/types.ts';
import type { Workplace } from '../job/job-kind.ts';

export interface ChildTask {
  /** What the child is for; the same for all of a kind, so that their requests begin alike. */
  readonly persona: string;
  readonly prompt: string;
  readonly schema: StructuredOutputSchema;
  readonly maxSteps?: number;
  /** A few words for people who look on. */
  readonly label: string;
}

export interface ChildAnswer {
  /** Checked against the schema; undefined where the child did not come to one. */
  readonly value: unknown;
  /** Commands it ran, and files it opened. */
  readonly commands: readonly string[];
  readonly opened: readonly string[];
}

/** What a review's children may use: nothing that writes, delegates or reports (subagent.md N8). */
const READ_ONLY_TOOLS = ['read', 'grep', 'glob', 'bash'];

/** How many children one turn may have, and how many at once (subagent.md N5). */
export const MAX_CHILDREN = 20;
export const CHILDREN_AT_ONCE = 4;

export function mayDelegate({ ctx }: Workplace): boolean {
  return ctx.get('subagents')?.getProvider('spawn') !== undefined;
}

/** One fresh child with read-only tools, on the review's tree. A child that fails is an answer without a value. */
export async function runReviewChild(
  { ctx, agent, signal }: Workplace,
  { persona, prompt, schema, maxSteps, label }: ChildTask,
  hasBegun: () => void = () => {},
): Promise<ChildAnswer> {
  let child: SubagentRun | undefined;
  const allow = READ_ONLY_TOOLS.filter((name) => agent.ctx.tools.knownNames().includes(name));
  const request = {
    prompt: [{ type: 'text' as const, text: prompt }],
    ...{ parent: agent, signal, persona, outputSchema: schema, toolFilter: { allow }, maxDepth: 1, label },
  };
  const result = await runSubagent(ctx, 'spawn', request, begun).catch(() => undefined);
  signal.throwIfAborted();
  const events = child?.localAgent?.session.events ?? [];
  return { value: result?.structured, commands: commandsIn(events), opened: openedIn(events) };

  function begun(run: SubagentRun): void {
    child = run;
    if (maxSteps !== undefined) stopAfter(run, maxSteps);
    run.localAgent?.ctx.on('session/event', (_session, event) => {
      if (event.type === 'assistant/message') hasBegun();
    });
  }
}

/** Commands of a log, as the model wrote them. */
export function commandsIn(events: readonly SessionEvent[]): string[] {
  return argumentsOf(events, 'bash').flatMap(({ command }) => (typeof command === 'string' ? [command] : []));
}

/** Files that were read in a log. */
export function openedIn(events: readonly SessionEvent[]): string[] {
  return argumentsOf(events, 'read').flatMap(({ file_path: path }) => (typeof path === 'string' ? [path] : []));
}

function stopAfter({ localAgent }: SubagentRun, maxSteps: number): void {
  localAgent?.ctx.on('agent/turn-stop', ({ session }) => {
    const steps = session.events.filter(({ type }) => type === 'step/end').length;
    return steps >= maxSteps ? { action: 'stop' as const } : undefined;
  });
}

function argumentsOf(events: readonly SessionEvent[], tool: string): Record<string, unknown>[] {
  return events.flatMap((event) => {
    if (event.type !== 'tool/call' || event.data.name !== tool) return [];
    const parsed = parseObject(event.data.arguments);
    return parsed ? [parsed] : [];
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
