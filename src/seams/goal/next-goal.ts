import { GoalError } from './goal-error.ts';
import { refOf } from './goal-change.ts';
import type { FoldedGoal, GoalChangeMeta, GoalId, GoalOperation, GoalPhase } from './types.ts';

/** The fold with what later checks need: ids are never used twice. */
export interface GoalState extends FoldedGoal {
  readonly usedIds: ReadonlySet<GoalId>;
}

export const NO_GOAL: GoalState = { roundsStarted: 0, usedIds: new Set() };

/** Phases an operation may begin in. */
export const ALLOWED: Readonly<Record<Exclude<GoalOperation, 'create'>, readonly GoalPhase[]>> = {
  edit: ['active', 'paused', 'blocked', 'complete'],
  pause: ['active'],
  resume: ['active', 'paused', 'blocked'],
  complete: ['active', 'paused', 'blocked'],
  block: ['active'],
  clear: ['active', 'paused', 'blocked', 'complete'],
};

const PHASE_AFTER: Partial<Record<GoalOperation, GoalPhase>> = {
  create: 'active',
  pause: 'paused',
  resume: 'active',
  complete: 'complete',
  block: 'blocked',
};

/** Applies one change. Throws where it does not follow from what was before (G3, G4, G7). Pure. */
export function nextGoal(state: GoalState, change: GoalChangeMeta): GoalState {
  const ref = refOf(change);
  if (change.operation === 'create') checkCreate(state, change.goal.revision, ref.id);
  else checkChange(state, change);
  const usedIds = new Set([...state.usedIds, ref.id]);
  if (change.operation === 'clear') return { roundsStarted: 0, lastRef: ref, usedIds };
  const { goal, roundsStarted, createdAt, updatedAt } = change;
  return { goal, roundsStarted, createdAt, updatedAt, lastRef: ref, usedIds };
}

function checkCreate({ goal, usedIds }: GoalState, revision: number, id: GoalId): void {
  if (goal && goal.phase !== 'complete') throw wrong('a goal was created while another was unfinished');
  if (usedIds.has(id)) throw wrong('the id of a goal was used twice');
  if (revision !== 1) throw wrong('a new goal does not begin with revision 1');
}

function checkChange(state: GoalState, change: GoalChangeMeta): void {
  const { goal, roundsStarted, createdAt = 0, updatedAt = 0 } = state;
  const { id, revision } = refOf(change);
  if (!goal || goal.id !== id) throw wrong('a change is of no current goal');
  if (revision !== goal.revision + 1) throw wrong('a revision was left out');
  if (!ALLOWED[change.operation as keyof typeof ALLOWED].includes(goal.phase))
    throw wrong(`a goal that is ${goal.phase} cannot ${change.operation}`);
  if ((change.operation === 'clear' ? change.clearedAt : change.updatedAt) < updatedAt)
    throw wrong('the time of a goal went backwards');
  if (change.operation === 'clear') return;
  if (change.createdAt !== createdAt || change.roundsStarted !== roundsStarted)
    throw wrong('a change contradicts what was before it');
  if (change.goal.phase !== (PHASE_AFTER[change.operation] ?? goal.phase)) throw wrong('a change has another phase');
}

/** One more round was begun (G11). Throws on one that was left out, and on one of another goal. */
export function nextRound(state: GoalState, source: { goalId: string; revision: number; round: number }): GoalState {
  const { goal, roundsStarted } = state;
  if (goal?.id !== source.goalId) return state;
  if (source.round !== roundsStarted + 1) throw wrong('the number of a round was left out');
  return { ...state, roundsStarted: source.round };
}

function wrong(what: string): GoalError {
  return new GoalError(`the goal in the log is not sound: ${what}`, 'GOAL_INVALID_TRANSITION');
}
