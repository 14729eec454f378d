import type { SessionEvent } from '../../src/harness/session/types.ts';
import { renderGoalChange, sourceOf } from '../../src/seams/goal/goal-change.ts';
import type { GoalChangeMeta, GoalSnapshot } from '../../src/seams/goal/types.ts';

/** The log of a goal that was created and, where `change` says so, changed. */
export function goalLog(change: Partial<GoalSnapshot> = {}): SessionEvent[] {
  const goal = { id: 'g', revision: 1, objective: 'all tests pass', phase: 'active', maxGoalRounds: 8 } as GoalSnapshot;
  const facts = { kind: 'goal/change', version: 1, roundsStarted: 0, createdAt: 1, updatedAt: 1 } as const;
  const changes: GoalChangeMeta[] = [{ ...facts, operation: 'create', goal }];
  const { phase } = change;
  const operations = { blocked: 'block', paused: 'pause', complete: 'complete' } as const;
  if (phase && phase !== 'active')
    changes.push({ ...facts, operation: operations[phase], goal: { ...goal, ...change, revision: 2 } });
  return changes.map(
    (meta, seq) =>
      ({
        ...{ type: 'context/message', seq, time: 1 },
        data: { content: renderGoalChange(meta), source: sourceOf(meta), meta },
      }) as unknown as SessionEvent,
  );
}
