import { afterEach, describe, expect, it } from '@jest/globals';
import { LiveJob } from '../../../src/bot/job/live-job.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { bench, eventsOf, gate, settle, text } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import { hangs, says } from '../../support/scripted-model.ts';

let b: Bench;

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

const maria = { kind: 'user' } as const;
const job = (session = 's1', cause = 'comment-1') =>
  new LiveJob({
    session: SessionId(session),
    turn: { job: 'ask', reading: { cause, actor: { id: 1, login: 'maria', association: 'NONE' } } } as never,
  });

describe('bot-human-loop', () => {
  it('S1 a word waits for the agent, and is told once it is in the log', async () => {
    b = await bench([{ ...says('one'), beforeEnd: () => settle() }, says('two')]);
    const live = job();
    const told = live.steer(text('also this'), maria);
    const { agent } = await b.create();
    agent.send(text('go'));
    live.attach(agent);
    await told;

    await agent.whenIdle();
    expect(eventsOf(agent.session, 'steering/message')).toHaveLength(1);
    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(1);
    expect(JSON.stringify(b.model.requests.at(-1))).toContain('also this');
  });

  it('S1 K3 a word, and what happened, count as told once they are stored: a process that is lost loses neither', async () => {
    b = await bench([{ ...says('one'), beforeEnd: () => settle() }, says('two'), says('three')]);
    const live = job();
    const { agent } = await b.create();
    const stored = gate<void>();
    let isHeld = false;
    b.ctx.on('session/flush', () => (isHeld ? stored.promise : undefined));
    agent.send(text('go'));
    live.attach(agent);
    const told: string[] = [];
    const saying = live.steer(text('also this'), maria).then(() => told.push('said'));
    const happening = live
      .inject(text('a check failed'), maria, { cause: 'check-1' })
      .then(() => told.push('happened'));
    isHeld = true;
    while (eventsOf(agent.session, 'context/message').length === 0) await settle();
    await settle();

    const logged = eventsOf(agent.session, 'context/message').map(({ data }) => data.meta);
    expect([logged, told]).toEqual([[{ cause: 'check-1' }], []]);
    stored.resolve();
    await Promise.all([saying, happening]);
    expect(told.toSorted()).toEqual(['happened', 'said']);
  });

  it('S1 T6 a word, and what happened, that could not be stored at once is said once, however often it comes again', async () => {
    b = await bench([{ ...says('one'), beforeEnd: () => settle() }, says('two'), hangs()]);
    const live = job();
    const { agent } = await b.create();
    let isAway = false;
    b.ctx.on('session/flush', () => {
      if (isAway) throw new Error('the store is away');
    });
    agent.send(text('go'));
    live.attach(agent);
    const source = { kind: 'github', cause: 'comment-7' } as never;
    const twice = async (say: () => Promise<void>) => {
      isAway = true;
      await expect(say()).rejects.toThrow('the store is away');
      isAway = false;
      await say();
    };
    await Promise.all([
      twice(() => live.steer(text('also this'), source)),
      twice(() => live.inject(text('a check failed'), maria, { delivery: 'd7' })),
    ]);

    expect(eventsOf(agent.session, 'steering/message')).toHaveLength(1);
    expect(eventsOf(agent.session, 'context/message')).toHaveLength(1);
    agent.cancel();
  });

  it('S1 a word that comes when the turn has ended makes no turn that nobody tells of', async () => {
    b = await bench([says('one')]);
    const live = job();
    const { agent } = await b.create();
    agent.send(text('go'));
    live.attach(agent);
    await agent.whenIdle();

    await expect(live.steer(text('also this'), maria)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await agent.whenIdle();
    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(1);
  });

  it('S1 a word that comes too late is refused, before there is an agent and after its end', async () => {
    b = await bench([hangs()]);
    const [never, late] = [job(), job()];
    const refused = { code: 'NOT_RUNNING' };
    const waiting = expect(never.steer(text('x'), maria)).rejects.toMatchObject(refused);
    never.end();
    await waiting;
    const { agent } = await b.create();
    agent.send(text('go'));
    late.attach(agent);
    while (b.model.requests.length === 0) await settle();
    const unheard = expect(late.steer(text('x'), maria)).rejects.toMatchObject(refused);
    await settle();
    agent.cancel();
    late.end();

    await unheard;
  });

  it('S2 S3 stopping resolves when the job has ended', async () => {
    b = await bench();
    const live = job();
    let isStopped = false;

    const stopping = live.stop().then(() => (isStopped = true));
    await settle();
    expect([live.stopped.aborted, isStopped]).toEqual([true, false]);
    live.end();
    await stopping;
    expect(isStopped).toBe(true);
  });

  it('S3 turns that have not begun are withdrawn by session and cause, and one that runs is not', () => {
    const turns = new LiveTurns();
    const [running, second, other] = [
      turns.expect(SessionId('s1'), 'comment-1'),
      turns.expect(SessionId('s1'), 'comment-2'),
      turns.expect(SessionId('s2'), 'comment-3'),
    ];
    turns.add(job());

    expect(turns.withdraw(SessionId('s1'), 'comment-9')).toBe(0);
    expect(turns.withdraw(SessionId('s1'), undefined)).toBe(1);

    expect([running, second, other].map(({ withdrawn }) => withdrawn.aborted)).toEqual([false, true, false]);
  });
});
