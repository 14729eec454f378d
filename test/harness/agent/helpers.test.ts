import { describe, expect, it } from '@jest/globals';
import { agentEvents, assembleContextFor } from '../../../src/harness/agent/agent-events.ts';
import { agentInterruptReasonOf } from '../../../src/harness/agent/interrupt-reason.ts';
import { bench, settle } from './agent-bench.ts';

function abortedBy(reason: unknown): AbortSignal {
  return AbortSignal.abort(reason);
}

describe('agent', () => {
  it('A15 an interrupt reason is read as a fresh frozen value', () => {
    for (const kind of ['user', 'parent', 'disposed', 'parked']) {
      const reason = { kind };
      const read = agentInterruptReasonOf(abortedBy(reason));

      expect(read).toEqual({ kind });
      expect(read).not.toBe(reason);
      expect(Object.isFrozen(read)).toBe(true);
    }
    expect(agentInterruptReasonOf(abortedBy({ __proto__: null, kind: 'user' }))).toEqual({ kind: 'user' });
  });

  it.each([
    ['a signal that was not aborted', new AbortController().signal],
    ['an unknown kind', abortedBy({ kind: 'bored' })],
    ['a second key', abortedBy({ kind: 'user', by: 'me' })],
    ['a hidden second key', abortedBy({ kind: 'user', [Symbol('x')]: 1 })],
    ['a getter', abortedBy({ get kind() { return 'user'; } })], // prettier-ignore
    ['an inherited kind', abortedBy(Object.create({ kind: 'user' }))],
    ['an object of a class', abortedBy(Object.assign(new Date(), { kind: 'user' }))],
    ['a string', abortedBy('user')],
    ['nothing in particular', abortedBy(undefined)],
  ])('A15 %s is no interrupt reason', (_what, signal) => {
    expect(agentInterruptReasonOf(signal)).toBeUndefined();
  });

  it('A23 a notice about an agent reaches its scope and no other, and a failing listener stops no one', async () => {
    const b = await bench();
    const [one, two] = [await b.create(), await b.create()];
    const heard: unknown[] = [];
    b.ctx.on('agent/error', () => {
      throw new Error('sync');
    });
    b.ctx.on('agent/error', async () => {
      throw new Error('async');
    });
    for (const { agent } of [one, two]) agent.ctx.on('agent/error', (about) => void heard.push([agent.id, about]));

    agentEvents(b.ctx, one.agent).emit('agent/error', 1, 0, new Error('told'));
    await settle();

    expect(heard).toEqual([[one.agent.id, one.agent]]);
    expect(b.errors.map((error) => (error as Error).message)).toEqual(['sync', 'async']);
  });

  it('P21 the context of an assembly always holds agent and scope together', async () => {
    const { create } = await bench();
    const { agent } = await create();
    const { signal } = new AbortController();

    expect(assembleContextFor(agent)).toEqual({ agent, scope: agent });
    expect(assembleContextFor(agent, signal)).toEqual({ agent, scope: agent, signal });
  });
});
