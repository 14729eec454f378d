import { describe, expect, it } from '@jest/globals';
import { onCallTool } from './on-call-tool.ts';
import { logged, openKernel, runTurn } from './support/open-kernel.ts';
import { ScriptedAdapter, calls, says } from './support/scripted-adapter.ts';

const ROTA: Record<string, string> = { payments: 'Maria' };
const whoIsOnCall = async (team: string) => ROTA[team];

describe('bot-hosts', () => {
  it('H11 a tool from outside is offered to the model, runs in the real loop, and logs an event of its own', async () => {
    const model = new ScriptedAdapter([calls('on_call', { team: 'payments' }), says('Ask Maria.')]);
    const ctx = await openKernel(model, [onCallTool({ whoIsOnCall })]);

    const agent = await runTurn(ctx, 'Whom do I ask about payments?');

    expect(model.requests[0]?.tools).toMatchObject([{ name: 'on_call', parameters: { required: ['team'] } }]);
    expect(logged(agent, 'tool/result')).toMatchObject([
      { isError: false, content: [{ type: 'text', text: 'Maria is on call for payments.' }] },
    ]);
    expect(logged(agent, 'on-call/looked-up')).toEqual([{ turn: 1, team: 'payments', person: 'Maria' }]);
    await ctx.fiber.dispose();
  });

  it.each([
    ['a team that does not exist', { team: 'legal' }, 'NO_SUCH_TEAM', 'there is no team "legal"'],
    ['arguments that do not fit', { group: 'payments' }, 'INVALID_ARGS', 'team'],
  ])('H11 %s is told to the model, which goes on', async (_what, args, code, text) => {
    const ctx = await openKernel(new ScriptedAdapter([calls('on_call', args), says('I do not know.')]), [
      onCallTool({ whoIsOnCall }),
    ]);

    const agent = await runTurn(ctx, 'Whom do I ask?');

    const [result] = logged(agent, 'tool/result');
    expect(result).toMatchObject({ isError: true, error: { code } });
    expect(JSON.stringify(result?.content)).toContain(JSON.stringify(text).slice(1, -1));
    expect(logged(agent, 'on-call/looked-up')).toEqual([]);
    expect(logged(agent, 'turn/end')).toMatchObject([{ reason: { kind: 'completed' } }]);
    await ctx.fiber.dispose();
  });

  it('H11 a tool leaves with its plugin', async () => {
    const model = new ScriptedAdapter([says('Hello.'), says('Bye.')]);
    const ctx = await openKernel(model);
    const mounted = ctx.plugin(onCallTool({ whoIsOnCall }), undefined);
    await mounted;

    const agent = await runTurn(ctx, 'Hello');
    await mounted.dispose();
    agent.send([{ type: 'text', text: 'Bye' }]);
    await agent.whenIdle();

    expect(model.requests.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([['on_call'], []]);
    await ctx.fiber.dispose();
  });
});
