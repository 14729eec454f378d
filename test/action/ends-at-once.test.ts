import { describe, expect, it } from '@jest/globals';
import { endsAtOnce } from '../../src/action/ends-at-once.ts';
import { wakeDelivery } from '../../src/bot/people/wake/wake-delivery.ts';
import { bot, config, issue, person, repository, said } from '../triggers/support/payloads.ts';

const ends = (name: string, payload: object) =>
  endsAtOnce({ name, delivery: 'd', payload: { sender: person, repository, ...payload } as never }, config);
const comment = (body: string, user = person) =>
  ends('issue_comment', { action: 'created', sender: user, issue, comment: said(body, { user }) });

describe('bot-hosts', () => {
  it('an event that nothing can make ours ends with its reason', () => {
    expect(comment('/dsh fix', bot)).toEqual([{ status: 'ignored', why: 'own-author' }]);
    expect(ends('issues', { action: 'opened', issue })).toEqual([{ status: 'ignored', why: 'nothing-addressed' }]);
    expect(ends('watch', { action: 'started' })).toEqual([{ status: 'ignored', why: 'event-not-used' }]);
    expect(ends('issue_comment', { action: 'created', comment: 7 })).toEqual([
      { status: 'ignored', why: 'malformed-payload' },
    ]);
  });

  it('a command, a remark that may be an answer, and what is taken from us go the whole way', () => {
    expect(comment('/dsh fix')).toBeUndefined();
    expect(comment('Thank you!')).toBeUndefined();
    expect(ends('installation', { action: 'deleted', repositories: [{ id: 9 }] })).toBeUndefined();
  });

  it('what wakes a parked session goes the whole way', () => {
    const turn = { reading: { repo: { id: 9, owner: 'o', repo: 'r' }, subject: { kind: 'issue', number: 3 } } };
    const { name, payload } = wakeDelivery({ id: 'q1', job: { turn } } as never, 0);

    expect(endsAtOnce({ name, delivery: 'd', payload: payload as never }, config)).toBeUndefined();
  });
});
