import { describe, expect, it } from '@jest/globals';
import type { Plugin } from 'dsh-github/kernel';
import { skills, skillTool } from 'dsh-github/skills';
import { houseSkills } from './house-skills.ts';
import { openKernel, runTurn } from './support/open-kernel.ts';
import { ScriptedAdapter, calls, says } from './support/scripted-adapter.ts';

describe('bot-hosts', () => {
  it('H11 a plugin tells the model which skills there are, and hands it the one it asks for', async () => {
    const model = new ScriptedAdapter([calls('skill', { name: 'database-change' }), says('done')]);
    const asked: string[] = [];
    const textOf = async (name: string) => (asked.push(name), 'Add the column first.');
    const ctx = await openKernel(model, [skills as Plugin<void>, houseSkills(textOf), skillTool as Plugin<void>]);

    await runTurn(ctx, 'Add a column');

    const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages));
    for (const name of ['api-review', 'commit-messages', 'database-change']) expect(first).toContain(`- ${name}: `);
    expect(first).not.toContain('Add the column first.');
    expect(second).toContain('Add the column first.');
    expect(asked).toEqual(['database-change']);
    await ctx.fiber.dispose();
  });
});
