import type { GoalErrorCode } from './goal-error.ts';
import type { GoalBlockReason, GoalPhase } from './types.ts';

/** What the words of people about goals are answered with, in one language. */
export interface GoalTexts {
  readonly usage: string;
  readonly set: string;
  readonly changed: string;
  readonly cleared: string;
  readonly nothingToClear: string;
  readonly paused: string;
  readonly goesOn: string;
  readonly writeObjective: string;
  readonly phases: Readonly<Record<GoalPhase, string>>;
  /** Active in the log, and no round begins by itself. */
  readonly waits: string;
  readonly heading: (state: string, round: number, max: number) => string;
  readonly blocked: (reason: GoalBlockReason) => string;
  readonly rejections: Readonly<Partial<Record<GoalErrorCode, string>>>;
  readonly rejected: string;
}

const USAGE = 'There is no goal. Write `goal` and an objective to set one.';

export const GOAL_TEXTS: GoalTexts = {
  usage: USAGE,
  set: 'The goal is set.',
  changed: 'The goal is changed.',
  cleared: 'The goal is cleared.',
  nothingToClear: 'There was no goal.',
  paused: 'The goal is paused.',
  goesOn: 'The goal goes on.',
  writeObjective: 'Write the new objective after `edit`.',
  phases: { active: 'active', paused: 'paused', blocked: 'blocked', complete: 'complete' },
  waits: 'active, waiting for `resume`',
  heading: (state, round, max) => `Goal (${state}, round ${round} of ${max}):`,
  blocked: ({ code, message }) => `Blocked (${code}): ${message}`,
  rejections: {
    GOAL_ALREADY_EXISTS: 'There is an unfinished goal. Clear or edit it first.',
    GOAL_INVALID_OBJECTIVE: 'A goal needs an objective.',
    GOAL_STALE_REVISION: 'The goal changed meanwhile. Look at it, and try again.',
    GOAL_NOT_FOUND: USAGE,
  },
  rejected: 'The goal does not take that now.',
};
