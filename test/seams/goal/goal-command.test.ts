import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
  for (const plugin of [commands, goalCommand]) await b.ctx.plugin(plugin === goalCommand ? goals : plugin, undefined);
  await b.ctx.plugin(goalCommand);
  agent = (await b.create()).agent;
});

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

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
});
