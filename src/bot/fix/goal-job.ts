import { DshError } from '../../errors.ts';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import type { Redactor } from '../../publish/redact.ts';
import { goalWord } from '../../seams/goal/goal-word.ts';
import '../../seams/goal/goals.ts';
import { createFixJob } from './fix-job.ts';
import { runOf } from '../job/job-cause.ts';
import type { JobRequest, Problem } from '../job/job.ts';
import type { Job } from '../job/job-kind.ts';

/** A change that is worked at in rounds, and published once its goal is no longer active. */
export function createGoalJob(request: JobRequest, redactor: Redactor): Job {
  const fix = createFixJob(request, redactor);
  const isActive = (ctx: Context, agent: Agent) => ctx.goals.get(agent)?.phase === 'active';
  let isActiveNow = () => false;
  return {
    mode: fix.mode,
    tools: fix.tools.map((tool) => withoutActiveGoal(tool, () => isActiveNow())),
    get isSubmitted() {
      return fix.isSubmitted;
    },
    get result() {
      return fix.result;
    },
    begin: (ctx, agent) => {
      isActiveNow = () => isActive(ctx, agent);
      setGoal(ctx, agent, request);
    },
    isUnfinished: isActive,
    leftOver,
    takeBack: () => fix.takeBack?.(),
    target: (subject, taken) => fix.target(subject, taken),
    contexts: (subject, checkout) => fix.contexts(subject, checkout),
    conclude: async (workplace) => {
      if (isActive(workplace.ctx, workplace.agent)) return { action: 'stop' };
      return fix.conclude(workplace);
    },
  };
}

/** The person who may command a goal has commanded it: it is set, or gone on with (G24). */
function setGoal(ctx: Context, agent: Agent, { turn, config }: JobRequest): void {
  const goal = ctx.goals.get(agent);
  const isUnfinished = goal !== undefined && goal.phase !== 'complete';
  const isNew = turn.reading.kind === 'command' && goalWord(turn.reading.command.text).kind === 'create';
  if (isUnfinished && isNew && goal.objective !== turn.request) throw alreadyThere();
  // The same objective: the job is gone on with, after an answer or a lost worker. What was paused meanwhile stays so.
  if (isUnfinished && isNew && goal.phase !== 'active') return;
  if (isUnfinished) return void ctx.goals.resume(agent, goal, grantedBy(turn.reading));
  ctx.goals.create(agent, { objective: turn.request, maxGoalRounds: config.goal.maxRounds });
}

/** A further run goes on by words that were written for an earlier one. */
function grantedBy(reading: JobRequest['turn']['reading']): string | undefined {
  return reading.kind === 'command' && runOf(reading.cause) > 0 ? (reading.comment?.url ?? reading.cause) : undefined;
}

function alreadyThere(): DshError {
  const hint = 'Write `/dsh goal resume` to go on with it, or `/dsh goal clear` first.';
  return new DshError('There is an unfinished goal.', 'GOAL_ALREADY_EXISTS', hint);
}

/** A result is handed in once the goal says that there is one. */
function withoutActiveGoal(tool: ToolDefinition, isActive: () => boolean): ToolDefinition {
  return {
    ...tool,
    execute: async (args, exec) => {
      if (isActive())
        throw new HarnessError(
          'the goal is still active: call update_goal with complete or blocked first, or end your message for the next round',
          'GOAL_ACTIVE',
        );
      return tool.execute(args, exec);
    },
  };
}

/** Why the job ended although its goal is not complete: what was changed is kept for when it goes on. */
function leftOver(ctx: Context, agent: Agent): Problem | undefined {
  const goal = ctx.goals.get(agent);
  if (!goal || goal.phase === 'complete') return undefined;
  const why = goal.blockedReason ? `blocked (${goal.blockedReason.code}: ${goal.blockedReason.message})` : goal.phase;
  const message = `The goal is ${why} after round ${goal.roundsStarted} of ${goal.maxGoalRounds}.`;
  return {
    code: 'GOAL_OPEN',
    message,
    hint: 'Write `/dsh goal resume` to go on, `/dsh goal edit …` or `/dsh goal clear`.',
  };
}
