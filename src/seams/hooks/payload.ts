import type { ContentBlock } from '../../harness/llm/types.ts';
import type { ToolExecution, ToolExecutionResult } from '../../harness/tools/types.ts';

/** What happened at a hook point. */
export type PointFacts =
  | { readonly point: 'SessionStart'; readonly source: string }
  | { readonly point: 'UserPromptSubmit'; readonly content: readonly ContentBlock[] }
  | { readonly point: 'PreToolUse'; readonly exec: Readonly<ToolExecution> }
  | { readonly point: 'PostToolUse'; readonly exec: Readonly<ToolExecution>; readonly result: ToolExecutionResult }
  | { readonly point: 'Stop'; readonly stopHookActive: boolean }
  | { readonly point: 'SubagentStart' | 'SubagentStop'; readonly agentId: string };

/** Where it happened. `turn` is absent outside turns. */
export interface HookPlace {
  readonly sessionId: string;
  readonly cwd: string;
  readonly turn: number | undefined;
  readonly model: string;
}

/** The one kind of child agent that hooks are told of. */
const AGENT_TYPE = 'general-purpose';

/** What a matcher is tested against: the very tool name the payload shows. Points without a subject match always. */
export function subjectOf(facts: PointFacts): string | undefined {
  switch (facts.point) {
    case 'SessionStart':
      return facts.source;
    case 'PreToolUse':
    case 'PostToolUse':
      return facts.exec.name;
    case 'SubagentStart':
    case 'SubagentStop':
      return AGENT_TYPE;
    case 'UserPromptSubmit':
    case 'Stop':
      return undefined;
  }
}

export function claudePayload(facts: PointFacts, place: HookPlace): Record<string, unknown> {
  return { ...base(facts, place, ''), ...specific(facts, ({ arguments: input }) => input) };
}

export function codexPayload(facts: PointFacts, place: HookPlace): Record<string, unknown> {
  return {
    ...base(facts, place, null),
    model: place.model,
    permission_mode: 'default',
    ...(place.turn !== undefined && { turn_id: String(place.turn) }),
    ...specific(facts, (exec) => ({ command: commandOf(exec) })),
  };
}

/** The log is no file that a hook could open, so where it lies is not known to one. */
function base({ point }: PointFacts, { sessionId, cwd }: HookPlace, transcriptPath: '' | null) {
  return { session_id: sessionId, transcript_path: transcriptPath, cwd, hook_event_name: point };
}

function specific(facts: PointFacts, inputOf: (exec: Readonly<ToolExecution>) => unknown): Record<string, unknown> {
  switch (facts.point) {
    case 'SessionStart':
      return { source: facts.source };
    case 'UserPromptSubmit':
      return { prompt: textOf(facts.content) };
    case 'PreToolUse':
      return toolCall(facts.exec, inputOf);
    case 'PostToolUse': {
      const { content, isError } = facts.result;
      return { ...toolCall(facts.exec, inputOf), tool_response: { content, is_error: isError } };
    }
    case 'Stop':
      return { stop_hook_active: facts.stopHookActive };
    case 'SubagentStart':
    case 'SubagentStop':
      return { agent_id: facts.agentId, agent_type: AGENT_TYPE };
  }
}

function toolCall(exec: Readonly<ToolExecution>, inputOf: (exec: Readonly<ToolExecution>) => unknown) {
  return { tool_name: exec.name, tool_input: inputOf(exec), tool_use_id: exec.callId };
}

/** A tool that runs no command shows its arguments as JSON text. */
function commandOf({ arguments: input }: Readonly<ToolExecution>): string {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? command : JSON.stringify(input);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
