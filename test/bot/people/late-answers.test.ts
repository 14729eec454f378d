import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { approvedCause } from '../../../src/bot/job/job-cause.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { endSession } from '../../../src/bot/session/end-session.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { AnswerIntake } from '../../../src/bot/job/services.ts';
import type { RoomOptions } from '../../../src/bot/job/room.ts';
import { sessionIdOf } from '../../../src/bot/session/session-id.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { ownBoxes } from '../../../src/publish/request/own-boxes.ts';
import { calls } from '../../support/scripted-model.ts';
import { NAME, PeopleBench } from './people-bench.ts';
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

const DAY = 24 * 3_600_000;
const APPROVE = { kind: 'approve' } as const;
const boxes = (ticked: number[], checked = ticked) => ({ kind: 'boxes', ticked, checked }) as const;

async function waiting(): Promise<{ issue: number; request: HumanRequest }> {
  process = b.process();
  const issue = await b.openIssue();
  const { session, outcome } = await process.start({
    ...{ issue, script: [calls('act', {}, 'c1')], config: { park: { afterMs: 0 } } },
  });
  expect((await outcome).status).toBe('parked');
  const [request] = await b.requests.openOf(session);
  return { issue, request: request! };
}

/** As intake gives it: one comment, or one edit of ours. */
function settle(request: HumanRequest, value: AnswerIntake['value'], from: Partial<AnswerIntake['reading']> = {}) {
  const { turn } = request.job as unknown as { turn: { reading: AnswerIntake['reading'] } };
  const actor = { id: 5, login: 'maria', association: 'NONE' };
  const isTick = value.kind === 'boxes';
  const tick = { kind: 'boxes', commentId: request.commentId, request: request.id, ticked: [], checked: [] };
  const reading = { ...turn.reading, actor, ...(isTick && tick), ...from } as AnswerIntake['reading'];
  const how = isTick ? 'box' : 'command';
  const intake = { kind: 'answer', session: request.session, request: request.id, value, how } as const;
  return process.people.settle({ ...intake, permission: 'write', reading }, process.place(request.repo));
}
const commentAt = (id: number) => ({ url: `https://x/${id}`, place: { kind: 'issue-comment', id } }) as const;
const stateOf = async ({ id }: HumanRequest) => (await b.requests.get(id))?.state;

describe('bot-human-loop', () => {
  it('A3 who decides a second time is told so, also where it is the same person; the same comment again is not', async () => {
    const { request } = await waiting();
    await settle(request, APPROVE, { comment: commentAt(1) });

    const again = await settle(request, APPROVE, { comment: commentAt(1) });
    const other = await settle(request, { kind: 'deny', reason: undefined }, { comment: commentAt(2) });

    expect(again.say).toBeUndefined();
    expect(other.say?.text).toMatch(/was approved by maria before/);
    expect(await stateOf(request)).toBe('allowed');
  });

  it('A3 a yes and a no in one comment: the first counts, and who wrote them is told of the second', async () => {
    const { request } = await waiting();
    await settle(request, { kind: 'deny', reason: undefined }, { comment: commentAt(3) });
    const { say } = await settle(request, APPROVE, { comment: commentAt(3) });
    expect(say?.text).toMatch(/was denied by maria before/);
    expect(await stateOf(request)).toBe('rejected');
  });

  it('S3 a comment that somebody deleted is no news for the operator', async () => {
    const { issue, request } = await waiting();
    await b.github.deleteComment(NAME, request.commentId!, { by: 'maria' });
    await process.people.withdraw(request.session, 'comment-deleted', process.place(request.repo));
    expect(await stateOf(request)).toBe('cancelled');
    expect(b.comments(issue)[0]?.body).toContain('**Stopped**');
  });

  it('A2 A3 a tick that comes too late is taken back: the comment says how it was decided', async () => {
    const { issue, request } = await waiting();
    await settle(request, { kind: 'deny', reason: undefined });
    const stale = b.comments(issue).find(({ id }) => id === request.commentId)!;
    await b.github.editComment(NAME, stale.id, { by: 'maria', body: `<!-- dsh:request ${request.id} -->\n- [x] yes` });

    await settle(request, boxes([0]));

    expect(b.bodyOf(request, issue)).toContain('**Denied**');
    expect(ownBoxes(b.bodyOf(request, issue))).toEqual([]);
  });

  it('A5 an answer that is written when the time is over decides nothing, and the turn goes on without', async () => {
    const { issue, request } = await waiting();
    b.later = DAY;

    const { say, wakes } = await settle(request, APPROVE);

    expect(say?.text).toMatch(/nobody answered/);
    expect(wakes?.state).toBe('unavailable');
    expect(await stateOf(request)).toBe('unavailable');
    expect(b.bodyOf(request, issue)).toContain('**Nobody answered**');
  });

  it('A5 the last moment is in time, also where the delivery comes later', async () => {
    const { request } = await waiting();
    b.later = DAY + 60_000;
    await settle(request, APPROVE, { saidAt: request.expiresAt - 1 });
    expect(await stateOf(request)).toBe('allowed');
  });

  it('A4 A5 a thumb that was given in time comes before a word that was not', async () => {
    const { request } = await waiting();
    await b.github.react(NAME, { comment: request.commentId! }, { by: 'otto', content: '-1' });
    b.later = DAY + 60_000;
    const { say } = await settle(request, APPROVE);
    expect(say?.text).toMatch(/was denied by otto before/);
  });

  it('A1 A2 who edits what was asked decides nothing by the same edit, and our words come back', async () => {
    const { issue, request } = await waiting();
    const before = b.bodyOf(request, issue);
    await b.github.editComment(NAME, request.commentId!, { by: 'maria', body: before.replace('[ ]', '[x] Harmless:') });

    const { wakes } = await settle(request, boxes([0]), { isAltered: true } as never);

    expect([wakes, await stateOf(request)]).toEqual([undefined, 'pending']);
    expect(b.bodyOf(request, issue)).toBe(before);
  });

  it('N2 a tick counts in the comment of its request, and in no other that names it', async () => {
    const { request } = await waiting();
    const { say } = await settle(request, boxes([0]), { commentId: request.commentId! + 1_000 });
    expect(say?.text).toMatch(/Nothing with the id/);
    expect(await stateOf(request)).toBe('pending');
  });

  it('N2 a tick of another repository names no comment of a request', async () => {
    const { request } = await waiting();
    const bare = { ...request, id: 'ap_ffffffffffff', commentId: undefined };
    await b.requests.add(bare);
    const elsewhere = process.place(request.repo + 1);
    const reading = { kind: 'boxes', commentId: 99, actor: { id: 5, login: 'maria' } } as never;
    const intake = {
      kind: 'answer',
      session: request.session,
      request: bare.id,
      value: boxes([0]),
      how: 'box',
    } as const;
    await process.people.settle({ ...intake, permission: 'write', reading }, elsewhere);
    expect(await b.requests.get(bare.id)).toMatchObject({ state: 'pending', commentId: undefined });
  });

  it.each(['closed', 'stopped', 'comment-deleted', 'uninstalled', 'forgotten'] as const)(
    'S3 N7 what was withdrawn (%s) wakes nobody, whoever answers it later and how',
    async (why) => {
      const { request } = await waiting();
      await process.people.withdraw(request.session, why, process.place(request.repo));

      const answered = [await settle(request, APPROVE), await settle(request, boxes([0]))];

      expect(answered.map(({ wakes }) => wakes)).toEqual([undefined, undefined]);
      expect(answered[0]?.say?.text).toMatch(/was withdrawn before/);
      expect(await process.people.wakes((await b.requests.get(request.id))!)).toBeUndefined();
    },
  );

  it('S3 stopped in the very moment in which the turn is parked, it is stopped: no turn opens', async () => {
    process = b.process();
    const issue = await b.openIssue();
    const call = { issue, script: [calls('act', {}, 'c1')], config: { park: { afterMs: 0 } } };
    const turn = await b.turn(call);
    const session = sessionIdOf(turn.reading);
    const openRoom = async (options: RoomOptions) => {
      const room = await process.openRoom(options, call.script);
      const close = async () => {
        await room.close();
        await process.people.withdraw(session, 'stopped', process.place(turn.reading.repo.id));
      };
      return { ...room, close };
    };

    const outcome = await process.run(turn, call, undefined, { openRoom });

    expect(outcome.status).toBe('stopped');
    expect(await b.ofType(session, 'turn/start')).toHaveLength(1);
    expect(b.comments(issue)[0]?.body).toContain('**Stopped**');
  });

  it('S3 the comment that asked for a plan is deleted: the fix that carries it out is asked about no more', async () => {
    const { request } = await waiting();
    const cause = (request.job as { turn: { reading: { cause: string } } }).turn.reading.cause;
    const job = { turn: { ...(request.job as { turn: object }).turn, reading: { cause: `${cause}-approved` } } };
    const follow = { ...request, id: 'ap_eeeeeeeeeeee', commentId: undefined, job };
    await b.requests.add(follow as never);
    await process.people.withdraw(request.session, 'comment-deleted', undefined, { cause, commentId: undefined });
    expect([await stateOf(request), await stateOf(follow)]).toEqual(['cancelled', 'cancelled']);
  });
});

describe('bot-human-loop', () => {
  it('S3 the comment that asked for a plan is deleted: the fix that carries it out never begins, or is stopped', async () => {
    const { records } = b.store;
    const [session, cause] = [SessionId('gh-5-1-1'), 'comment-70'];
    const live = new LiveTurns();
    const queued = live.expect(session, approvedCause(cause));
    const reading = { of: cause, commentId: 70, repo: { id: 5 }, delivery: 'd-gone' };
    const end = { kind: 'end', session, why: 'comment-deleted', reading } as never;

    expect(await endSession(end, {} as never, { live, people: undefined, records } as never)).toBe(1);
    expect(queued.withdrawn.aborted).toBe(true);
    expect(await records.causes.take(5, approvedCause(cause), 'd-later')).toBe('d-gone');

    queued.leave();
    let stopped = 0;
    live.add({ session, cause: approvedCause(cause), stop: async () => void (stopped += 1) } as never);
    expect(await endSession(end, {} as never, { live, people: undefined, records } as never)).toBe(1);
    expect(stopped).toBe(1);
  });
});

describe('user-interaction', () => {
  it.each([403, 500])(
    'B10 where GitHub takes no comment (%d), the model is told that nobody can be asked',
    async (status) => {
      process = b.process();
      const issue = await b.openIssue();
      const done = {
        outcome: 'nothing_to_do',
        title: 'Nothing',
        summary: 'Nothing.',
        cause: '',
        verification: [],
        notes: [],
      };
      const ask = calls('ask_user_question', { questions: [{ id: 'q', question: 'Why?' }] });
      const path = new RegExp(`/issues/${issue}/comments$`);
      const undo = b.github.faults.inject({ match: { method: 'POST', path }, status, times: 1_000 });

      const { session, outcome } = await process.start({
        issue,
        job: 'fix',
        script: [ask, calls('submit_result', done)],
      });
      await outcome;
      undo();

      const [result] = await b.ofType(session, 'tool/result');
      expect(result).toMatchObject({ isError: true, error: { name: 'UserInteractionError', code: 'ASK_FAILED' } });
      expect(JSON.stringify(result)).toContain('nobody can be asked here');
      expect(await b.requests.openOf(session)).toEqual([]);
      expect(b.log.splice(0).join()).toMatch(/q_\w+ could not be asked/);
    },
  );
});
