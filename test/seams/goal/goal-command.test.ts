import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GOAL_TEXTS_OF, goalTextsFor } from '../../../src/bot/commands/goal-texts.ts';
import { commands } from '../../../src/seams/commands/command-service.ts';
import { goalCommand } from '../../../src/seams/goal/goal-command.ts';
import { goalWord } from '../../../src/seams/goal/goal-word.ts';
import { goals } from '../../../src/seams/goal/goals.ts';
import type { Agent } from '../../../src/harness/agent/types.ts';
import { bench } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';

let b: Bench;
let agent: Agent;

beforeEach(async () => {
  b = await bench();
  await mountGoals(b);
  await b.ctx.plugin(goalCommand, undefined);
  agent = (await b.create()).agent;
});

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

async function mountGoals({ ctx }: Bench): Promise<void> {
  await ctx.plugin(commands);
  await ctx.plugin(goals, undefined);
}

const say = (line: string) => b.ctx.commands.execute(agent, line, new AbortController().signal);

describe('goal', () => {
  it.each([
    ['', { kind: 'show' }],
    [' PAUSE\n', { kind: 'pause' }],
    ['clear', { kind: 'clear' }],
    ['Resume', { kind: 'resume' }],
    ['edit fewer tests', { kind: 'edit', objective: 'fewer tests' }],
    ['edit', { kind: 'edit', objective: '' }],
    ['pause after verification', { kind: 'create', objective: 'pause after verification' }],
    ['editing is done', { kind: 'create', objective: 'editing is done' }],
  ])('G24 the words %j mean %j', (input, word) => {
    expect(goalWord(input)).toEqual(word);
  });

  it('G24 shows, sets, pauses, resumes, edits and clears by the words of people', async () => {
    expect(await say('/goal')).toMatchObject({ kind: 'success', text: expect.stringContaining('There is no goal') });
    expect(await say('/goal pause')).toMatchObject({ kind: 'error' });
    expect(await say('/goal clear')).toMatchObject({ kind: 'success' });
    expect(await say('/goal all tests pass')).toMatchObject({
      kind: 'success',
      text: expect.stringContaining('all tests pass'),
    });
    expect(await say('/goal another')).toMatchObject({ kind: 'error', text: expect.stringContaining('unfinished') });
    expect(await say('/goal edit')).toMatchObject({ kind: 'error' });
    expect(await say('/goal edit most tests pass')).toMatchObject({ kind: 'success' });
    expect(await say('/goal pause')).toMatchObject({ kind: 'success', text: expect.stringContaining('paused') });
    expect(await say('/goal pause')).toMatchObject({
      kind: 'error',
      text: expect.not.stringMatching(/revision|[0-9a-f]{8}-/),
    });
    expect(await say('/goal resume')).toMatchObject({ kind: 'success' });
    expect(b.ctx.goals.get(agent)).toMatchObject({ objective: 'most tests pass', phase: 'active' });

    b.ctx.goals.complete(agent, b.ctx.goals.get(agent)!);
    expect(await say('/goal edit a new one')).toMatchObject({ kind: 'success' });
    expect(b.ctx.goals.get(agent)).toMatchObject({ objective: 'a new one', revision: 1, phase: 'active' });
    expect(await say('/goal clear')).toMatchObject({ kind: 'success' });
    expect(b.ctx.goals.get(agent)).toBeUndefined();
  });

  it('G24 whoever mounts it says in which language it answers', async () => {
    const zh = await bench();
    await mountGoals(zh);
    await zh.ctx.plugin(goalCommand, { textsFor: goalTextsFor(undefined) });
    const { agent: other } = await zh.create();
    const answer = (line: string) => zh.ctx.commands.execute(other, line, new AbortController().signal);

    expect(await answer('/goal 所有测试通过')).toEqual({
      kind: 'success',
      text: '目标已设定。\n\n目标（进行中，第 0 轮，共 256 轮）：\n\n所有测试通过',
    });
    expect(await answer('/goal 另一个')).toEqual({
      kind: 'error',
      text: GOAL_TEXTS_OF.zh.rejections.GOAL_ALREADY_EXISTS,
    });
    expect(await answer('/goal')).toMatchObject({ text: expect.stringMatching(/^Goal \(active/) });
    await zh.ctx.fiber.dispose();
  });

  it('G24 the two languages say the same things', () => {
    const { en, zh } = GOAL_TEXTS_OF;
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    expect(Object.keys(zh.rejections).sort()).toEqual(Object.keys(en.rejections).sort());
    expect(Object.keys(zh.phases).sort()).toEqual(Object.keys(en.phases).sort());
  });
});
