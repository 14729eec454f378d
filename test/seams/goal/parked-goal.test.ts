import { afterEach, describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { MessageSource } from '../../../src/harness/llm/types.ts';
import { ends, settle, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { sessionCommand } from '../../../src/bot/commands/session-command.ts';
import { SessionGoal } from '../../../src/seams/goal/session-goal.ts';
import { goalBench } from './goal-bench.ts';
import type { GoalBench } from './goal-bench.ts';

let b: GoalBench;

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

const WAITING = { kind: 'question', id: 'q_1' } as const;
const HOST: MessageSource = { kind: 'plugin', plugin: 'host' };
const goal = () => b.ctx.goals.get(b.agent);

/** A person's turn whose question is waited for until the turn is parked. */
async function parkedBesideGoal(): Promise<void> {
  b = await goalBench([calls('ask', {}, 'c-ask'), says('thanks'), says('one'), says('two'), says('three')]);
  b.ctx.tools.register(
    tool('ask', (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject))),
  );
  b.agent.send(text('ask me, then reach the goal'));
  b.ctx.goals.create(b.agent, { objective: 'all tests pass' });
  while (!(await b.handle.park({ waitingFor: WAITING, callId: CallId('c-ask') })).parked) await settle();
  await b.quiet();
}

/** What a person is told who commands the goal meanwhile. */
async function told(words: string): Promise<string | undefined> {
  const command = { name: 'goal', text: words, flags: {} };
  const ctx = { commands: { execute: async () => ({ kind: 'success', text: 'done' }) } };
  const services = {
    live: { of: () => undefined },
    redact: (raw: string) => raw,
    atDesk: (_session: unknown, _signal: unknown, work: (desk: unknown) => unknown) => work({ ctx, agent: b.agent }),
  };
  const place = { config: { language: 'en' }, signal: new AbortController().signal };
  const intake = { kind: 'command', name: 'goal', session: 's1', reading: { command } };
  return (await sessionCommand({ intake, place, services } as never)).text;
}

describe('goal', () => {
  it.each(['pause', 'clear', 'edit other tests'])(
    'G4 while a person is waited for its goal is not changed, and whoever tries is told so: %s',
    async (words) => {
      await parkedBesideGoal();
      expect(await told(words)).toMatch(/waits for an answer/);
      expect(await told('')).toBe('done');
    },
  );

  it('G8 a change that was accepted just before the turn was parked holds in the next process', async () => {
    b = await goalBench([calls('ask', {}, 'c-ask')]);
    b.ctx.tools.register(
      tool('ask', (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject))),
    );
    b.agent.send(text('ask me'));
    const { id, revision } = b.ctx.goals.create(b.agent, { objective: 'all tests pass' });
    while (b.agent.session.openTurn === undefined || !b.agent.session.pendingCalls.length) await settle();
    b.ctx.goals.pause(b.agent, { id, revision });
    while (!(await b.handle.park({ waitingFor: WAITING, callId: CallId('c-ask') })).parked) await settle();

    expect(new SessionGoal(b.agent.session).state.goal).toMatchObject({ phase: 'paused', revision: 2 });
  });

  it('G12 no round begins while a person is waited for: the question stays open', async () => {
    await parkedBesideGoal();

    expect(b.prompts()).toEqual(['human']);
    expect(ends(b.agent.session)).toContainEqual(expect.objectContaining({ kind: 'parked' }));
    expect(b.model.requests).toHaveLength(1);
    expect(b.agent.session.parkedCalls).toHaveLength(1);
    expect(goal()).toMatchObject({ phase: 'active', roundsStarted: 0 });
  });

  it('G12 G10 once it is answered, the rounds begin behind the turn that heard the answer', async () => {
    await parkedBesideGoal();

    const content = text('red');
    b.handle.resumeParked({ trigger: { kind: 'message', source: HOST }, settle: () => ({ kind: 'result', content }) });
    await b.quiet();

    expect(b.prompts()).toEqual(['human', 1, 2, 3]);
    expect(JSON.stringify(b.model.requests[1])).toContain('red');
  });
});
