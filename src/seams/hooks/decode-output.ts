import { z } from 'zod';
import { isJsonValue } from '../../harness/session/json.ts';
import type { HookOutput } from './types.ts';

/** How a hook ended and what it printed. */
export interface HookExit {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

const BLOCKING_EXIT = 2;

/** A field of another shape is as good as absent: what a hook prints never fails the turn. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const text = lenient(z.string());

const EventFields = z.object({
  hookEventName: text,
  permissionDecision: lenient(z.enum(['allow', 'deny', 'ask'])),
  permissionDecisionReason: text,
  additionalContext: text,
  updatedInput: lenient(z.record(z.string(), z.unknown()).refine(isJsonValue)),
});
type EventFields = z.infer<typeof EventFields>;

const Answer = z.object({
  continue: lenient(z.boolean()),
  stopReason: text,
  decision: lenient(z.enum(['approve', 'block'])),
  reason: text,
  systemMessage: text,
  hookSpecificOutput: lenient(EventFields),
});

/** What the end of a hook means. Total: any exit and any output has a meaning. */
export function decodeHookOutput(exit: HookExit, expectedEventName?: string): HookOutput {
  const output = { exitCode: exit.exitCode, stdout: exit.stdout.trim(), stderr: exit.stderr.trim() };
  if (exit.exitCode === BLOCKING_EXIT) {
    return { ...output, decision: 'block', ...(output.stderr && { reason: output.stderr }) };
  }
  const answer = exit.exitCode === 0 ? Answer.safeParse(jsonOf(output.stdout)) : undefined;
  if (!answer?.success) return output;
  const { hookSpecificOutput: claimed, ...top } = answer.data;
  return withoutUndefined({ ...output, ...top, ...eventScoped(claimed, expectedEventName) });
}

/** Anything that is no JSON object is plain text. */
function jsonOf(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/** An answer that names no event, or another one, decides nothing here. */
function eventScoped(claimed: EventFields | undefined, expected: string | undefined): Partial<HookOutput> {
  if (!claimed) return {};
  const { hookEventName, permissionDecision, permissionDecisionReason, additionalContext, updatedInput } = claimed;
  const isOurs = hookEventName !== undefined && (expected === undefined || hookEventName === expected);
  if (!isOurs) return { hookEventName };
  return {
    hookEventName,
    additionalContext,
    updatedInput,
    ...(permissionDecision && { decision: permissionDecision }),
    ...(permissionDecision && permissionDecisionReason && { reason: permissionDecisionReason }),
  };
}

function withoutUndefined(output: HookOutput): HookOutput {
  const { exitCode, ...fields } = output;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { exitCode, ...Object.fromEntries(given) } as HookOutput;
}
