import { describe, expect, it } from '@jest/globals';
import { COMMAND_TEXTS } from '../../../src/bot/commands/command-texts.ts';
import { toldWhenFailed } from '../../../src/bot/commands/told-when-failed.ts';
import { DshError } from '../../../src/errors.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { handedBack } from '../../../src/bot/job/handed-back.ts';
import { SessionId } from '../../../src/harness/session/types.ts';

const logged: unknown[] = [];
const commanded = (more: { signal?: AbortSignal; deadlineMs?: number } = {}) => ({
  ...{ command: 'deploy', session: SessionId('gh-1-1-1'), texts: COMMAND_TEXTS.en },
  services: {
    log: (...line: unknown[]) => void logged.push(line),
    redact: (text: string) => text.replace('k-1', '***'),
  },
  ...{ place: { signal: more.signal ?? new AbortController().signal }, deadlineMs: more.deadlineMs ?? 60_000 },
});

/** As a handler's wait ends with its signal (C11). */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

describe('commands', () => {
  it('C13 a fault is told to whoever commanded, without secrets and inert, and to the operator', async () => {
    const told = await toldWhenFailed(commanded(), async () => {
      throw new Error('no k-1 for @everyone');
    });

    expect(told).toEqual({ kind: 'error', text: expect.stringMatching(/no \*\*\* for @&#8203;everyone/) });
    expect(logged).toEqual([['/dsh deploy in gh-1-1-1 failed', expect.anything()]]);
  });

  it('C11 what takes too long is cut short by its signal, and the reply says so', async () => {
    const told = await toldWhenFailed(commanded({ deadlineMs: 5 }), untilAborted);

    expect(told).toEqual({ kind: 'error', text: COMMAND_TEXTS.en.cutShort });
  });

  it.each([
    ['the process winds up', () => AbortSignal.abort(new Error('over')), new Error('over')],
    ['another worker goes on', undefined, handedBack('it')],
    ['the store is away', undefined, new DshError('away', 'DATABASE_UNAVAILABLE', 'Start it.')],
    ['another one took the lease', undefined, new HarnessError('late', 'STALE_LEASE')],
    ['GitHub is down', undefined, Object.assign(new Error('502'), { status: 502 })],
  ])('C11 nothing is told where %s: the delivery is worked again', async (_why, signal, error) => {
    const work = () => Promise.reject(error);

    await expect(toldWhenFailed(commanded({ ...(signal && { signal: signal() }) }), work)).rejects.toBe(error);
  });
});
