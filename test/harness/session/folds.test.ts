import { describe, expect, it } from '@jest/globals';
import { findLastMessageTurnEnd } from '../../../src/harness/session/find-last-message-turn-end.ts';
import { isTriggerTaken } from '../../../src/harness/session/is-trigger-taken.ts';
import { hasAuthority, isHumanSource } from '../../../src/harness/session/message-authority.ts';
import type { TurnTrigger } from '../../../src/harness/session/types.ts';
import { ANSWER, LogWriter, MESSAGE, USER } from './session-fixture.ts';

const ORIGIN = { repo: { id: 1, owner: 'o', name: 'r' }, subject: { kind: 'issue', number: 7 } } as const;
const COMMAND: TurnTrigger = {
  ...ORIGIN,
  kind: 'github-command',
  cause: 'comment-1',
  delivery: 'd-1',
  actor: { id: 1, login: 'ada' },
  command: { name: 'fix', args: {}, text: '' },
};
const RESUME: TurnTrigger = { ...ORIGIN, kind: 'github-resume', cause: 'comment-1', turn: 1 };
const BACKGROUND: TurnTrigger[] = [
  { kind: 'injection', source: USER },
  { kind: 'maintenance', command: 'compact', actor: { id: 1, login: 'ada' } },
  { kind: 'session-title' } as unknown as TurnTrigger,
];

describe('session', () => {
  it.each([MESSAGE, COMMAND, RESUME])(
    'B1 the outcome of a request is found whatever opened its turn (%#)',
    (trigger) => {
      const log = new LogWriter().shortTurn('hi', 'hello', trigger);
      const end = log.session.events.at(-1);

      for (const background of BACKGROUND) log.startTurn(background).endTurn();
      log.startTurn(trigger).prompt('blocked by an error').endTurn({ kind: 'error', step: 0, message: 'no model' });
      log.startTurn(trigger).prompt('still running').startStep();

      expect(findLastMessageTurnEnd(log.session.events)).toBe(end);
    },
  );

  it('B1 a turn in the background does not count even when it made a step', () => {
    const log = new LogWriter().startTurn(BACKGROUND[1]!).startStep().endStep().endTurn();

    expect(findLastMessageTurnEnd(log.session.events)).toBeUndefined();
    expect(findLastMessageTurnEnd([])).toBeUndefined();
  });

  it('B1 an answering turn counts even without a step', () => {
    const log = new LogWriter().shortTurn().startTurn(ANSWER).endTurn({ kind: 'aborted' });

    expect(findLastMessageTurnEnd(log.session.events)?.data.reason).toEqual({ kind: 'aborted' });
  });

  it('B2 a person on GitHub is human, and speaks with authority only when trusted', () => {
    const github = { kind: 'github', actor: 'ada', association: 'OWNER', permission: 'read', url: 'u' } as const;

    expect([USER, { ...github, trusted: false }].map(isHumanSource)).toEqual([true, true]);
    expect(isHumanSource({ kind: 'plugin', plugin: 'goal' })).toBe(false);
    expect(hasAuthority(USER)).toBe(true);
    expect(hasAuthority({ ...github, trusted: true })).toBe(true);
    expect(hasAuthority({ ...github, trusted: false })).toBe(false);
    expect(hasAuthority({ kind: 'plugin', plugin: 'goal' })).toBe(false);
  });

  it('B3 a delivery or a cause starts one turn, and turns that continue its job are exempt', () => {
    const { session } = new LogWriter().shortTurn('hi', 'hello', COMMAND);
    const taken = (trigger: { kind: string; cause?: string; delivery?: string }) =>
      isTriggerTaken(session.events, trigger);

    expect(taken({ ...COMMAND, delivery: 'd-2' })).toBe(true);
    expect(taken({ ...COMMAND, cause: 'comment-2' })).toBe(true);
    expect(taken({ ...COMMAND, cause: 'comment-2', delivery: 'd-2' })).toBe(false);
    expect(taken({ kind: 'message' })).toBe(false);
    expect([taken(RESUME), taken(ANSWER)]).toEqual([false, false]);
  });
});
