import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { codeOf, LogWriter, loneSession, rootWithSessions, ROUTE } from './session-fixture.ts';

/** A plain copy of a valid log, to be spoiled. */
function validLog(): SessionEvent[] {
  const log = new LogWriter().startTurn().prompt('hi').startStep();
  log.session.append('request/header', { header: { config: ROUTE }, reason: 'initial' });
  log.answer().endStep().endTurn({ kind: 'aborted' });
  return JSON.parse(JSON.stringify(log.session.events)) as SessionEvent[];
}

describe('session', () => {
  it.each<[string, (log: SessionEvent[]) => void]>([
    ['an unknown envelope key', (log) => Object.assign(log[1]!, { extra: 1 })],
    ['a gap', (log) => (log[2]!.seq = 7)],
    ['a fractional time', (log) => (log[2]!.time = 0.5)],
    ['data that is not JSON', (log) => Object.assign(log[1]!.data, { content: undefined })],
    ['a surface event without its mark', (log) => Reflect.deleteProperty(log[1]!, 'surfaceOp')],
    ['a header without a model', (log) => Object.assign(log[3]!.data, { header: { config: { provider: 'p' } } })],
    ['a message without provenance', (log) => Reflect.deleteProperty(log[4]!.data, 'provenance')],
    [
      'a message whose provenance names no model',
      (log) => Object.assign(log[4]!.data, { provenance: { provider: 'p' } }),
    ],
    ['an abort with a detail', (log) => Object.assign(log[6]!.data, { reason: { kind: 'aborted', by: 'user' } })],
    ['content that is no list', (log) => Object.assign(log[1]!.data, { content: 'hi' })],
    ['a turn that never began', (log) => void log.shift()],
  ])('S30 refuses a seed with %s', (_name, spoil) => {
    const log = validLog();
    expect(loneSession(structuredClone(log)).seq).toBe(7);

    spoil(log);

    expect(() => loneSession(log)).toThrow();
  });

  it('S30 the seed is detached and frozen', () => {
    const log = validLog();
    const session = loneSession(log);

    Object.assign(log[1]!.data, { content: [] });
    log.pop();

    expect(session.seq).toBe(7);
    expect(session.deriveMessages()).toHaveLength(1);
    expect(Object.isFrozen(session.events[1]?.data)).toBe(true);
  });

  it('S30 the header is version 0, names its own id, has an absolute cwd and whole numbers', async () => {
    const { sessions } = await rootWithSessions();
    const id = SessionId('a');
    const refused = (meta: object) => codeOf(() => sessions.prepare(id, { meta }));

    for (const meta of [
      { version: 1 },
      { id: 'b' },
      { cwd: 'relative' },
      { createdAt: 0.5 },
      { seedLength: -1 },
      { delegationDepth: NaN },
    ]) {
      expect(refused(meta)).toBe('INVALID_HEADER');
    }
    expect(codeOf(() => sessions.prepare(SessionId('')))).toBe('INVALID_HEADER');
    const meta = { cwd: '/work', createdAt: 5, delegationDepth: 1 };
    const { header } = sessions.prepare(id, { meta });
    meta.cwd = '/elsewhere';
    expect(sessions.prepare(id).header.createdAt).toBeGreaterThanOrEqual(1000);
    expect(header).toEqual({ version: 0, id: 'a', createdAt: 5, cwd: '/work', delegationDepth: 1 });
    expect(Object.isFrozen(header)).toBe(true);
  });
});
