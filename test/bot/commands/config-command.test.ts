import { describe, expect, it } from '@jest/globals';
import { configLines } from '../../../src/bot/commands/config-command.ts';
import { PROGRESS_TEXTS } from '../../../src/publish/progress/progress-texts.ts';
import { goalLine } from '../../../src/publish/progress/goal-line.ts';
import { renderGoalChange } from '../../../src/seams/goal/goal-change.ts';
import type { GoalChangeMeta } from '../../../src/seams/goal/types.ts';
import { GoalId } from '../../../src/seams/goal/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

describe('bot-triggers', () => {
  it('T3 config names the last layer that sets a key, and hides where the operator’s servers are', () => {
    const layers = {
      operator: { modelBaseUrl: 'https://models.internal', budget: { turn: { cost: 9 } }, allow: ['network'] },
      repository: { budget: { turn: { cost: 2, steps: 50 } } },
      inputs: { budget: { turn: { steps: 10 } } },
    };

    const lines = configLines(layers, { budget: 4 });

    expect(lines).toContain('budget.turn.cost: 4  # session');
    expect(lines).toContain('budget.turn.steps: 10  # inputs');
    expect(lines).toContain('budget.turn.minutes: 60  # default');
    expect(lines.join('\n')).not.toMatch(/models\.internal|^allow:/m);
    expect(lines).toEqual([...lines].sort());
  });
});

describe('goal', () => {
  it('G22 the progress shows phase, round, objective and why it is blocked, inert', () => {
    const goal = { id: GoalId('g'), revision: 2, objective: 'greet @tom', phase: 'blocked', maxGoalRounds: 8 } as const;
    const change: GoalChangeMeta = {
      kind: 'goal/change',
      version: 1,
      operation: 'block',
      goal: { ...goal, blockedReason: { code: 'no-key', message: 'no key' } },
      roundsStarted: 3,
      createdAt: 1,
      updatedAt: 1,
    };
    const event = {
      type: 'context/message',
      data: {
        content: renderGoalChange(change),
        source: { kind: 'goal', goalId: 'g', revision: 2, round: 0 },
        meta: change,
      },
    } as unknown as SessionEvent;

    const line = goalLine([event], (text) => text);

    expect(line).toMatch(/^Goal \(blocked: no key, round 3 of 8\): greet/);
    expect(line).not.toContain(' @tom');
    expect(goalLine([event], (text) => text, PROGRESS_TEXTS.zh)).toMatch(
      /^目标（受阻: no key，第 3 轮，共 8 轮）：greet/,
    );
    expect(goalLine([], (text) => text)).toBeUndefined();
  });
});
