import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { redrawRequest } from '../../../src/bot/people/ask/draw-request.ts';
import { sweepRequests } from '../../../src/bot/people/end/sweep-requests.ts';
import { waitForAnswer } from '../../../src/bot/people/ask/wait-for-answer.ts';
import { wakeDelivery, wokenRequest } from '../../../src/bot/people/wake/wake-delivery.ts';
import { placeOf } from '../../../src/triggers/place-of.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import { subjectKey } from '../../../src/serve/subject-key.ts';
import type { HumanRequest, NewDelivery } from '../../../src/store/records.ts';
import { ownBoxes } from '../../../src/publish/request/own-boxes.ts';
import { calls } from '../../support/scripted-model.ts';
import { PeopleBench } from './people-bench.ts';
import type { Process } from './people-bench.ts';

let b: PeopleBench;
let process: Process;
beforeAll(async () => {
  b = await PeopleBench.start();
});
afterAll(() => b.close());
afterEach(() => {
  b.later = 0;
  expect(b.log.splice(0)).toEqual([]);
});

const APPROVE = { kind: 'approve' } as const;
const QUESTIONS = [{ id: 'c', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multi_select: true }];

const JOBS = { approval: 'ask', question: 'fix' } as const;
const NOTHING = calls('submit_result', {
  ...{ outcome: 'nothing_to_do', title: 'Nothing', summary: 'Nothing.', cause: '', verification: [], notes: [] },
});

async function waiting(kind: 'approval' | 'question' = 'approval'): Promise<{ issue: number; request: HumanRequest }> {
  process = b.process();
  const issue = await b.openIssue();
  const script = [kind === 'approval' ? calls('act', {}, 'c1') : calls('ask_user_question', { questions: QUESTIONS })];
  const { session, outcome } = await process.start({
    issue,
    script,
    job: JOBS[kind],
    config: { park: { afterMs: 0 } },
  });
  expect((await outcome).status).toBe('parked');
  const [request] = await b.requests.openOf(session);
  return { issue, request: request! };
}
const stateOf = async ({ id }: HumanRequest) => (await b.requests.get(id))?.state;
const boxes = (ticked: number[], checked = ticked) => ({ kind: 'boxes', ticked, checked }) as const;

describe('bot-human-loop', () => {
  it('A2 a tick that counts for nothing is taken back, and those that counted before stay', async () => {
    const { issue, request } = await waiting('question');
    await redrawRequest(request, process.access, { redact: (text) => text, log: () => {} }, [0, 1]);

    const answered = await process.settle(request, {
      ...{ value: boxes([1], [0, 1]), how: 'box', by: 'rita', permission: 'read' },
    });

    expect(answered.wakes).toBeUndefined();
    expect(ownBoxes(b.bodyOf(request, issue))).toEqual([true, false, false]);
    expect(await stateOf(request)).toBe('pending');
  });

  it.each([
    ['read', /needs the right to approve/],
    ['could-not-check', /GitHub did not say/],
  ] as const)('A2 N3 a command without the right (%s) decides nothing and is told so', async (permission, text) => {
    const { request } = await waiting();
    const { say } = await process.settle(request, { value: APPROVE, by: 'rita', permission });
    expect(say?.text).toMatch(text);
    expect(await stateOf(request)).toBe('pending');
  });

  it('A2 an allowed bot does not approve', async () => {
    const { request } = await waiting();
    await process.settle(request, { value: APPROVE, by: 'ci[bot]', isBot: true, permission: 'admin' });
    expect(await stateOf(request)).toBe('pending');
  });

  it('N2 N6 the wrong kind of answer is told the right one', async () => {
    const { request } = await waiting();
    const { request: question } = await waiting('question');
    expect((await process.settle(request, { value: { kind: 'text', text: '1' } })).say?.text).toContain('/dsh approve');
    expect((await process.settle(question, { value: APPROVE })).say?.text).toContain(`/dsh answer ${question.id}`);
    expect((await process.settle(question, { value: { kind: 'text', text: '7' } })).say?.text).toMatch(
      /no option 7.*submit|no option 7/s,
    );
  });

  it('N9 an id that is not asked here is unknown here', async () => {
    const { request } = await waiting();
    const other = { ...request, id: 'ap_none' };
    expect((await process.settle(other, { value: APPROVE })).say?.text).toContain('`ap_none`');
    const elsewhere = { ...request, session: 'gh-9-9-1' as HumanRequest['session'] };
    expect((await process.settle(elsewhere, { value: APPROVE })).say?.text).toContain('Nothing with the id');
    expect(await stateOf(request)).toBe('pending');
  });

  it('N9 several are open at once, each with its own id, comment and answer', async () => {
    const one = await waiting();
    const two = await waiting();
    expect(one.request.id).not.toBe(two.request.id);
    await process.settle(two.request, { value: { kind: 'deny', reason: undefined } });
    expect([await stateOf(one.request), await stateOf(two.request)]).toEqual(['pending', 'rejected']);
  });

  it.each(['closed', 'comment-deleted', 'uninstalled', 'stopped'] as const)(
    'S3 N7 withdrawn because of %s, its comment and progress say so and nothing goes on',
    async (why) => {
      const { issue, request } = await waiting();
      const place = process.place(request.repo);
      const of = { cause: 'comment-other', commentId: undefined };
      expect(await process.people.withdraw(request.session, why, place, of)).toBe(0);

      expect(await process.people.withdraw(request.session, why, place)).toBe(1);

      expect(b.bodyOf(request, issue)).toContain('**Withdrawn**');
      expect(b.comments(issue)[0]?.body).toContain('**Stopped**');
      const late = await process.settle(request, { value: APPROVE });
      expect(late.say?.text).toContain('was withdrawn before');
      expect(await process.people.withdraw(request.session, why, place)).toBe(0);
    },
  );

  it('A4 A5 the sweep puts what is due into the inbox, and nothing else', async () => {
    const { request } = await waiting();
    const { request: thumbed } = await waiting();
    await b.github.react('acme/shop', { comment: thumbed.commentId! }, { by: 'otto', content: '+1' });
    const rules = mergeConfig();
    const put: string[] = [];
    const parts = {
      ...{ requests: b.requests, live: process.live, now: b.now, log: () => {} },
      inbox: {
        put: async (delivery: NewDelivery) => (put.push((delivery.payload as { request: string }).request), true),
      },
      placeOf: async () => ({ place: process.access, rules }),
    };
    const { signal } = new AbortController();
    await sweepRequests(parts, signal);
    expect(put).toContain(thumbed.id);
    expect(put).not.toContain(request.id);
    expect(await stateOf(thumbed)).toBe('pending');

    put.length = 0;
    b.later = 25 * 3_600_000;
    await sweepRequests(parts, signal);
    expect(put).toContain(request.id);
  });

  it('A5 K3 the delivery of a wake-up names repository and session key as GitHub’s own do', async () => {
    const { issue, request } = await waiting();
    const { id, key, name, payload } = wakeDelivery(request, 5);
    const event = { name, delivery: id, payload };
    expect(wokenRequest(event)).toBe(request.id);
    expect(wokenRequest({ ...event, name: 'issues' })).toBeUndefined();
    expect(placeOf(event)?.repo).toMatchObject({ owner: 'acme', repo: 'shop' });
    expect(key).toBe(`${request.repo}-${issue}`);
    expect(key.startsWith(subjectKey(event).split('-')[0]!)).toBe(true);
  });

  it('A4 A5 while a turn waits it looks for reactions ever less often, and ends at its time', async () => {
    const { request } = await waiting();
    const looks: number[] = [];
    const place = { ...process.access, github: watched(process.access.github, () => looks.push(Date.now())) };
    const ends = { ...request, expiresAt: b.now().getTime() + 400 };
    const parts = {
      requests: b.requests,
      live: process.live,
      now: b.now,
      redact: (text: string) => text,
      log: () => {},
    };

    const settled = await waitForAnswer(ends, {
      ...{ place, rules: mergeConfig(), parts, polling: { firstMs: 40, longestMs: 160 } },
      ...{ onNews: () => () => {}, signal: new AbortController().signal },
    });

    expect(settled).toMatchObject({ state: 'unavailable', answer: { how: 'timeout', actor: undefined } });
    expect(looks.length).toBeGreaterThanOrEqual(3);
    expect(looks.length).toBeLessThanOrEqual(6);
  });

  it('N7 an abort ends the wait at once with its reason', async () => {
    const { request } = await waiting();
    const stop = new AbortController();
    const parts = {
      requests: b.requests,
      live: process.live,
      now: b.now,
      redact: (text: string) => text,
      log: () => {},
    };
    const waits = waitForAnswer(request, {
      ...{ place: process.access, rules: mergeConfig(), parts, polling: { firstMs: 60_000, longestMs: 60_000 } },
      ...{ onNews: () => () => {}, signal: stop.signal },
    });
    stop.abort(new Error('enough'));
    await expect(waits).rejects.toThrow('enough');
  });
});

describe('user-interaction', () => {
  it.each<[string, unknown[]]>([
    ['eleven questions', Array.from({ length: 11 }, (_, at) => ({ id: `q${at}`, question: 'Why?' }))],
    [
      '21 options',
      [{ id: 'q', question: 'Which?', options: Array.from({ length: 21 }, (_, at) => ({ label: `${at}` })) }],
    ],
    ['a label of 201 characters', [{ id: 'q', question: 'Which?', options: [{ label: 'x'.repeat(201) }] }]],
    ['a label that nobody sees', [{ id: 'q', question: 'Which?', options: [{ label: '\u200b \u2060' }] }]],
    [
      'more than a comment holds',
      Array.from({ length: 10 }, (_, at) => ({
        id: `q${at}`,
        question: '@m'.repeat(990),
        options: Array.from({ length: 20 }, (_x, n) => ({ label: `${n}${'&'.repeat(190)}` })),
      })),
    ],
  ])('N8 what cannot be shown is refused with the limits: %s', async (_case, questions) => {
    const issue = await b.openIssue();
    const script = [calls('ask_user_question', { questions }), NOTHING];
    const { session, outcome } = await b.process().start({ issue, script, job: 'fix' });

    expect((await outcome).status).toBe('completed');

    const [result] = await b.ofType(session, 'tool/result');
    expect(result).toMatchObject({ isError: true, error: { code: 'ASK_FAILED' } });
    expect(JSON.stringify(result)).toContain('at most 10 questions');
    expect(b.comments(issue).filter(({ body }) => body.includes('dsh:request'))).toEqual([]);
  });
});

/** The same client, with each request counted. */
function watched(github: Process['access']['github'], onRequest: () => void): Process['access']['github'] {
  const paginate = ((...args: Parameters<typeof github.paginate>) => {
    onRequest();
    return github.paginate(...args);
  }) as unknown as typeof github.paginate;
  return { ...github, rest: github.rest, paginate };
}
