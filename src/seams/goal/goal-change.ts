import { z } from 'zod';
import type { ContentBlock } from '../../harness/llm/types.ts';
import { canonicalJson } from '../../harness/session/canonical-json.ts';
import { checkObjective, checkReason, checkRounds } from './check-goal.ts';
import type { GoalChangeMeta, GoalId, GoalMessageSource } from './types.ts';

const positive = z.number().int().min(1);
const count = z.number().int().min(0);
const time = z.number().min(0);
const Ref = z.strictObject({ id: z.string().min(1), revision: positive });
const Goal = Ref.extend({
  objective: z.string(),
  phase: z.enum(['active', 'paused', 'blocked', 'complete']),
  blockedReason: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  maxGoalRounds: positive,
});
const head = { kind: z.literal('goal/change'), version: z.literal(1) };
const Change = z.discriminatedUnion('operation', [
  z.strictObject({ ...head, operation: z.literal('clear'), cleared: Ref, clearedAt: time }),
  z.strictObject({
    ...head,
    operation: z.enum(['create', 'edit', 'pause', 'resume', 'complete', 'block']),
    goal: Goal,
    roundsStarted: count,
    createdAt: time,
    updatedAt: time,
    grantedBy: z.string().min(1).optional(),
  }),
]);

/** Undefined for metadata of others. Throws on a change that is none (G7). */
export function decodeGoalChange(meta: unknown): GoalChangeMeta | undefined {
  if ((meta as { kind?: unknown } | null | undefined)?.kind !== 'goal/change') return undefined;
  const change = Change.parse(meta) as unknown as GoalChangeMeta;
  if (change.operation !== 'clear') checkSnapshot(change.goal);
  return change;
}

function checkSnapshot({ objective, phase, blockedReason, maxGoalRounds }: z.infer<typeof Goal>): void {
  if (checkObjective(objective) !== objective) throw new Error('the objective of a goal is not trimmed');
  checkRounds(maxGoalRounds);
  if ((phase === 'blocked') !== (blockedReason !== undefined))
    throw new Error('a goal is blocked exactly with a reason');
  if (blockedReason && checkReason(blockedReason).message !== blockedReason.message)
    throw new Error('the reason of a block is not trimmed');
}

/** What the model sees of a change: the same text however a store orders its keys; an objective cannot close the tag. */
export function renderGoalChange(change: GoalChangeMeta): ContentBlock[] {
  return [{ type: 'text', text: `<goal_state>${escapeTags(canonicalJson(change))}</goal_state>` }];
}

export function refOf(change: GoalChangeMeta): { id: GoalId; revision: number } {
  const { id, revision } = change.operation === 'clear' ? change.cleared : change.goal;
  return { id, revision };
}

export function sourceOf(change: GoalChangeMeta): GoalMessageSource {
  const { id, revision } = refOf(change);
  return { kind: 'goal', goalId: id, revision, round: 0 };
}

export function jsonText(value: unknown): string {
  return escapeTags(JSON.stringify(value));
}

function escapeTags(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
