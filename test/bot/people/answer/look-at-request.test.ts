import { describe, expect, it } from '@jest/globals';
import { RequestError } from '@octokit/request-error';
import { findUntold, lookAtRequest } from '../../../../src/bot/people/answer/look-at-request.ts';
import type { Looking } from '../../../../src/bot/people/answer/look-at-request.ts';
import { waitForAnswer } from '../../../../src/bot/people/ask/wait-for-answer.ts';
import { LiveTurns } from '../../../../src/bot/job/live-turns.ts';
import { requestMarker } from '../../../../src/publish/markers.ts';
import { openMemoryStore } from '../../../../src/store/open-store.ts';
import { approvalRequest, RULES } from '../request-fixture.ts';

/** GitHub as it answers the look for reactions. */
function placeWhere(answer: () => Promise<unknown>, permission = 'write'): Looking['place'] {
  const github = { rest: { reactions: {}, issues: { updateComment: async () => ({}) } }, paginate: answer };
  return {
    ...{ github, repo: { owner: 'acme', repo: 'shop' }, ownLogin: 'dsh[bot]' },
    permissionOf: async () => ({ kind: 'known', permission }),
  } as unknown as Looking['place'];
}
const failing = (status: number) => async () => {
  throw new RequestError('no', status, { request: { method: 'GET', url: 'https://x', headers: {} } });
};
const thumb = (content: string, at: number, user: unknown = { id: 6, login: 'otto', type: 'User' }) => ({
  ...{ content, user },
  created_at: new Date(at).toISOString(),
});

describe('bot-human-loop', () => {
  it.each([404, 410, 403, 500])('A5 the time ends also where GitHub answers %d about reactions', async (status) => {
    const looking = { place: placeWhere(failing(status)), rules: RULES };
    expect(await findUntold(approvalRequest(), { ...looking, at: 1_000 })).toMatchObject({ state: 'unavailable' });
  });

  it('A4 before its time what GitHub cannot say is no decision', async () => {
    const looking = { place: placeWhere(failing(500)), rules: RULES, at: 999 };
    await expect(findUntold(approvalRequest(), looking)).rejects.toMatchObject({ status: 500 });
  });

  it('A5 whoever waits looks once when the time is over, and not over and over', async () => {
    const { records } = openMemoryStore(() => new Date());
    const request = { ...approvalRequest(), expiresAt: Date.now() + 30 };
    await records.requests.add(request);
    let looks = 0;
    const place = placeWhere(() => ((looks += 1), failing(502)()));
    const parts = { requests: records.requests, live: new LiveTurns(), now: () => new Date(), log: () => {} };

    const settled = await waitForAnswer(request, {
      ...{ place, rules: RULES, parts: { ...parts, redact: (text: string) => text } },
      ...{ polling: { firstMs: 60_000, longestMs: 60_000 }, onNews: () => () => {} },
      signal: AbortSignal.timeout(2_000),
    });

    expect([settled.state, looks]).toEqual(['unavailable', 1]);
  });

  it('A3 A5 a thumb given in time counts although it is found later; one given after it does not', async () => {
    const at = 2_000;
    const inTime = { place: placeWhere(async () => [thumb('+1', 900)]), rules: RULES, at };
    expect(await findUntold(approvalRequest(), inTime)).toMatchObject({ state: 'allowed', answer: { at: 900 } });
    const late = { place: placeWhere(async () => [thumb('+1', 1_100)]), rules: RULES, at };
    expect(await findUntold(approvalRequest(), late)).toMatchObject({ state: 'unavailable' });
  });

  it('A5 N4 a comment whose id was lost with its process is found by its mark, and told how it ended', async () => {
    const { records } = openMemoryStore(() => new Date());
    const request = { ...approvalRequest(), commentId: undefined };
    await records.requests.add(request);
    const bot = { login: 'dsh[bot]' };
    const marked = (id: number, login: string) => ({
      id,
      user: { login },
      body: requestMarker(request.id),
      html_url: '',
    });
    const pages = [[marked(7, 'tom'), { ...marked(8, bot.login), body: 'other' }], [marked(9, bot.login)]];
    const drawn: { comment_id: number; body: string }[] = [];
    const place = placeWhere(async () => []);
    Object.assign(place.github, {
      paginate: Object.assign(place.github.paginate, {
        iterator: async function* () {
          for (const data of pages) yield { data };
        },
      }),
    });
    Object.assign(place.github.rest.issues, { updateComment: async (update: never) => void drawn.push(update) });
    const parts = { requests: records.requests, live: new LiveTurns(), now: () => new Date(), log: () => {} };

    await lookAtRequest(request, { place, rules: RULES, at: 1_000 }, { ...parts, redact: (text: string) => text });

    expect(drawn).toEqual([
      expect.objectContaining({ comment_id: 9, body: expect.stringContaining('**Nobody answered**') }),
    ]);
  });

  it('A2 under four eyes the asker’s own thumb is passed over, up and down', async () => {
    const maria = { id: 5, login: 'maria', type: 'User' };
    const rules = { ...RULES, approval: { ...RULES.approval, fourEyes: true } };
    const place = placeWhere(async () => [thumb('-1', 1, maria), thumb('+1', 2, maria), thumb('+1', 3)]);
    const found = await findUntold(approvalRequest(), { place, rules, at: 5 });
    expect(found).toMatchObject({ state: 'allowed', answer: { actor: { login: 'otto' } } });
  });
});
