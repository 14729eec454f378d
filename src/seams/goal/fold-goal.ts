import type { SessionEvent } from '../../harness/session/types.ts';
import { decodeGoalChange, renderGoalChange, sourceOf } from './goal-change.ts';
import { NO_GOAL, nextGoal, nextRound } from './next-goal.ts';
import type { GoalState } from './next-goal.ts';
import type { FoldedGoal, GoalChangeMeta } from './types.ts';

/** The goal that a log holds. Throws where content, source and metadata of a change do not agree (G7). */
export function foldGoal(events: readonly SessionEvent[]): FoldedGoal {
  const { usedIds: _, ...folded } = events.reduce(afterEvent, NO_GOAL);
  return folded;
}

export function afterEvent(state: GoalState, event: SessionEvent): GoalState {
  const change = changeOf(event);
  if (change) return nextGoal(state, change);
  if (event.type !== 'user/message' || event.data.source.kind !== 'goal') return state;
  return nextRound(state, event.data.source);
}

/** The change that an event tells of. */
export function changeOf(event: SessionEvent): GoalChangeMeta | undefined {
  if (event.type !== 'context/message') return undefined;
  const { source, meta, content } = event.data;
  if (source.kind !== 'goal') return undefined;
  const change = decodeGoalChange(meta);
  if (!change) return undefined;
  const agrees =
    source.round === 0 &&
    isSame(source, sourceOf(change)) &&
    JSON.stringify(content) === JSON.stringify(renderGoalChange(change));
  if (!agrees) throw new Error('a goal change in the log contradicts itself');
  return change;
}

function isSame(a: { goalId: string; revision: number }, b: { goalId: string; revision: number }): boolean {
  return a.goalId === b.goalId && a.revision === b.revision;
}
