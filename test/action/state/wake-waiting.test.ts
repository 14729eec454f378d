import { describe, expect, it } from '@jest/globals';
import { wakeAfter, wakeBefore } from '../../../src/action/state/wake-waiting.ts';
import type { Waking } from '../../../src/action/state/wake-waiting.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { ReadSubject } from '../../../src/triggers/reading.ts';
import { comment, person } from '../../triggers/support/payloads.ts';
import { questionRequest } from '../../bot/people/request-fixture.ts';

const SESSION = SessionId('gh-9-3-1');
const repo = { id: 9, owner: 'acme', repo: 'shop', private: false, defaultBranch: 'main' };

/** What a run wakes, where one request's time is over at the start of the run, and another's is not. */
async function wakenBy(reading: ReadSubject, drawn?: string) {
  const { records } = openMemoryStore(() => new Date());
  const job = { turn: { reading: { repo, subject: { kind: 'issue', number: 3 } } } };
  const now = Date.now();
  for (const [id, expiresAt] of [
    ['q_over', now - 1],
    ['q_open', now + 60_000],
  ] as const) {
    const base = questionRequest(undefined, { session: SESSION, repo: 9, askedOf: person });
    await records.requests.add({ ...base, id, askedAt: now - 60_000, expiresAt, job } as typeof base);
  }
  const woken: string[] = [];
  const comment = { user: { login: 'ours' }, body: drawn };
  const github = { rest: { issues: { getComment: async () => ({ data: comment }) } } };
  const access = { github, repo: { owner: 'acme', repo: 'shop' }, ownLogin: 'ours' };
  let opened = 0;
  // Whether it was answered is looked up first; whoever goes on opens it again.
  const openRepository = () => {
    if (drawn !== undefined && opened++ === 0) return Promise.resolve(access);
    return Promise.reject(new Error('no further'));
  };
  const bot = {
    services: { now: () => new Date(now), records, live: new LiveTurns(), redact: String, log: () => {} },
    records: { requests: { openOf: async (id: SessionId) => records.requests.openOf(id) } },
  };
  const host = { openRepository, operator: {}, inputs: {}, self: {}, readers: [], services: { records } };
  const waking = { bot, host, session: async () => SESSION } as unknown as Waking;
  const seen = (when: string) => async (error: unknown) => {
    expect(String(error)).toContain('no further');
    woken.push(when);
    return [];
  };
  await wakeBefore(reading, waking).catch(seen('before'));
  await wakeAfter(reading, waking).catch(seen('after'));
  const open = await records.requests.openOf(SESSION);
  return { woken, open: open.map(({ id }) => id) };
}

const reading = (body: string) => comment(body)[0] as ReadSubject;
const boxes = { ...reading('/dsh approve'), kind: 'boxes', request: 'q_over' } as unknown as ReadSubject;
const end = { ...reading('/dsh approve'), kind: 'end', why: 'closed' } as unknown as ReadSubject;

describe('bot-hosts', () => {
  it.each([
    ['/dsh stop', reading('/dsh stop')],
    ['/dsh forget', reading('/dsh forget')],
    ['the end of the issue', end],
  ])('H9 S2 %s lets nothing go on first, whatever was decided by a reaction or by time', async (_what, event) => {
    expect((await wakenBy(event)).woken).toEqual([]);
  });

  it.each([
    ['/dsh answer', reading('/dsh answer q_over 1')],
    ['a reply', reading('Blue')],
    ['a tick', boxes],
  ])('H9 A5 %s is heard before the time is called over, which is done only then', async (_what, event) => {
    expect((await wakenBy(event)).woken).toEqual(['before', 'after']);
  });

  it('H9 A4 A5 any other event wakes what waits, before anything else is done', async () => {
    expect((await wakenBy(reading('/dsh fix'))).woken).toEqual(['before']);
    expect((await wakenBy(reading('/dsh status'))).woken).toEqual(['before']);
  });

  it('H9 A5 what was answered in a run that could not keep what it did is not called unanswered, and is done no second time', async () => {
    const answered = '<!-- dsh:request q_over -->\n**Answered**\n\nAnswered by maria.';
    const waiting = '<!-- dsh:request q_over -->\n**Waiting for an answer**';

    expect((await wakenBy(reading('/dsh status'), answered)).open).toEqual(['q_open']);
    expect((await wakenBy(reading('/dsh status'), waiting)).open).toEqual(['q_over', 'q_open']);
    const nobody = answered.replace('**Answered**', '**Nobody answered**');
    expect((await wakenBy(reading('/dsh status'), nobody)).open).toEqual(['q_over', 'q_open']);
    expect((await wakenBy(reading('/dsh status'), `> ${answered}`)).open).toEqual(['q_over', 'q_open']);
  });
});
