import type { PromptSection } from '../../harness/system-prompt/types.ts';
import type { JobKind } from '../../triggers/reading.ts';
import { ASK_JOB } from './ask-job.ts';
import { ASK_REPORT } from './ask-report.ts';
import { FIX_JOB } from './fix-job.ts';
import { FIX_METHOD, NO_QUESTIONS, QUESTIONS } from './fix-method.ts';
import { FIX_REPORT } from './fix-report.ts';
import { GOAL_METHOD } from './goal-method.ts';
import { PLAN_JOB } from './plan-job.ts';
import { NO_PLAN_QUESTIONS, PLAN_POLICY, PLAN_QUESTIONS } from './plan-policy.ts';
import { PLAN_REPORT } from './plan-report.ts';
import { REVIEW_JOB } from './review-job.ts';
import { REVIEW_REPORT } from './review-report.ts';
import { REVIEW_RUBRIC } from './review-rubric.ts';
import { SANDBOX_READ_ONLY, SANDBOX_WRITABLE } from './sandbox.ts';
import { TRUST } from './trust.ts';

const section = (name: string, order: number, text: string): PromptSection => ({ name, order, text });

/** The bot's own sections of each job, in order; tool guidance stands between them at 100–115 (docs/prompts.md). */
export const JOB_SECTIONS: Readonly<Record<JobKind, readonly PromptSection[]>> = {
  fix: [
    section('bot:job', 10, FIX_JOB),
    section('bot:method', 20, FIX_METHOD),
    section('bot:trust', 60, TRUST),
    section('bot:sandbox', 70, SANDBOX_WRITABLE),
    section('bot:report', 180, FIX_REPORT),
  ],
  review: [
    section('bot:job', 10, REVIEW_JOB),
    section('bot:rubric', 20, REVIEW_RUBRIC),
    section('bot:trust', 60, TRUST),
    section('bot:sandbox', 70, SANDBOX_READ_ONLY),
    section('bot:report', 180, REVIEW_REPORT),
  ],
  ask: [
    section('bot:job', 10, ASK_JOB),
    section('bot:trust', 60, TRUST),
    section('bot:sandbox', 70, SANDBOX_READ_ONLY),
    section('bot:report', 180, ASK_REPORT),
  ],
  plan: [
    section('bot:job', 10, PLAN_JOB),
    section('plan:policy', 50, PLAN_POLICY),
    section('bot:trust', 60, TRUST),
    section('bot:sandbox', 70, SANDBOX_READ_ONLY),
    section('bot:report', 180, PLAN_REPORT),
  ],
  goal: [
    section('bot:job', 10, FIX_JOB),
    section('bot:method', 20, FIX_METHOD),
    section('bot:goal', 30, GOAL_METHOD),
    section('bot:trust', 60, TRUST),
    section('bot:sandbox', 70, SANDBOX_WRITABLE),
    section('bot:report', 180, FIX_REPORT),
  ],
};

/** The sections of a job, with what holds where people can be asked. Pure. */
export function sectionsOf(kind: JobKind, { asksPeople }: { asksPeople: boolean }): readonly PromptSection[] {
  if (!asksPeople) return JOB_SECTIONS[kind];
  return JOB_SECTIONS[kind].map((one) => ({
    ...one,
    text: String(one.text).replace(NO_QUESTIONS, QUESTIONS).replace(NO_PLAN_QUESTIONS, PLAN_QUESTIONS),
  }));
}

/** Which tools a job has, in the order they are sent (PR20). */
export const JOB_TOOLS: Readonly<Record<JobKind, readonly string[]>> = {
  fix: ['read', 'grep', 'glob', 'edit', 'write', 'bash', 'todo_write', 'ask_user_question', 'submit_result'],
  review: ['read', 'grep', 'glob', 'bash', 'report_finding'],
  ask: ['read', 'grep', 'glob', 'bash'],
  plan: ['read', 'grep', 'glob', 'bash', 'ask_user_question', 'submit_plan'],
  goal: [
    ...['read', 'grep', 'glob', 'edit', 'write', 'bash', 'todo_write'],
    ...['get_goal', 'update_goal', 'ask_user_question', 'submit_result'],
  ],
};
