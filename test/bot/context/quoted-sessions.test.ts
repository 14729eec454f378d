import { describe, expect, it } from '@jest/globals';
import { namedSubjects, quotedSessions } from '../../../src/bot/context/quoted-sessions.ts';
import type { JobRequest } from '../../../src/bot/job/job.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { LogWriter } from '../../harness/session/session-fixture.ts';

const other = new LogWriter().shortTurn('why is the total wrong?', 'tax is added twice').session.events;

/** The contexts of a request in issue 7 of repository 9, with these logs in store. */
async function quote(
  text: string,
  logs: Record<string, readonly SessionEvent[]>,
  profile: 'trusted' | 'untrusted' = 'trusted',
) {
  const asked: string[] = [];
  const reading = { kind: 'command', command: { text }, repo: { id: 9 }, subject: { kind: 'issue', number: 7 } };
  const contexts = await quotedSessions(
    { turn: { reading }, session: SessionId('gh-9-7-1') } as unknown as JobRequest,
    {
      records: {
        subjects: {
          sessionOf: async (_repo: number, n: number) =>
            n === 5 ? SessionId('gh-9-7-1') : n === 8 ? SessionId('gh-9-12-2') : undefined,
        } as never,
      },
      logOf: async (id) => {
        asked.push(id);
        if (id === 'gh-9-13-1') throw new Error('damaged');
        return logs[id] ?? [];
      },
      log: () => {},
    },
    profile,
  );
  return { contexts, asked };
}

describe('session-query', () => {
  it('B2 a request that names another issue of the repository quotes what was said in its session', async () => {
    const { contexts, asked } = await quote('as in #12, but without tax', { 'gh-9-12-1': other });

    expect(asked).toEqual(['gh-9-12-1']);
    expect(contexts).toMatchObject([
      { placement: 'prompt-prefix', source: { kind: 'plugin', plugin: 'session-reference' } },
    ]);
    const [{ text }] = contexts[0]!.content as unknown as [{ text: string }];
    expect(text).toContain('"label":"#12"');
    expect(text).toContain('tax is added twice');
    expect(text).toContain('untrusted background');
  });

  it('B2 quotes nothing for outsiders, of itself, of what has no session, or of what cannot be read', async () => {
    expect((await quote('as in #12', { 'gh-9-12-1': other }, 'untrusted')).contexts).toEqual([]);
    for (const text of ['as in #7', 'as in #5', 'as in #99', 'as in #13', 'nothing']) {
      expect([text, (await quote(text, { 'gh-9-7-1': other })).contexts]).toEqual([text, []]);
    }
    expect((await quote('as in #8', { 'gh-9-12-2': other })).asked).toEqual(['gh-9-12-2']);
  });

  it('B2 a number is one of this repository, whole, and each counts once, three at most', () => {
    expect(namedSubjects('#1, #2 and #1; o/r#3 a#4 &#5; ##6 #7x https://x/#8 (#9) #10', 2)).toEqual([1, 9, 10]);
    expect(namedSubjects('#1 #2 #3 #4', 0)).toEqual([1, 2, 3]);
  });
});
