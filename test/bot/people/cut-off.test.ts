import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionEvent, SessionEventType } from '../../../src/harness/session/types.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { PeopleBench } from './people-bench.ts';
import type { Answering, Call } from './people-bench.ts';

/** Answers that are stored, and the processes that were to go on with them killed at each event of their logs. */
let b: PeopleBench;
beforeAll(async () => {
  b = await PeopleBench.start();
});
afterAll(() => b.close());
afterEach(() => {
  b.ran.length = 0;
  expect(b.log.splice(0)).toEqual([]);
});

const ACT = calls('act', { n: 1 }, 'c-act');
const ASK = calls('ask_user_question', { questions: [{ id: 'q', question: 'Why?' }] }, 'c-ask');
const SUBMIT = calls('submit_result', {
  ...{ outcome: 'fixed', title: 'Mend it', summary: 'It is mended.', cause: 'a slip', verification: [], notes: [] },
});
const APPROVE = { kind: 'approve' } as const;
const PARK_NOW = { park: { afterMs: 20 } };

/** A job that is parked at its call of `act`. */
async function parked(call: Partial<Call> = {}) {
  const issue = await b.openIssue();
  const first = b.process();
  const { session, turn, outcome } = await first.start({ issue, script: [ACT], config: PARK_NOW, ...call });
  expect((await outcome).status).toBe('parked');
  const [request] = (await b.requests.openOf(session)) as [HumanRequest];
  return { issue, first, session, turn, request };
}

/** A parked job whose answer is stored, and whose answering process was killed when the log had reached an event. */
async function answerCutOff(
  last: SessionEventType,
  value: Answering['value'],
  call: Partial<Call>,
  script: readonly ScriptedReply[],
) {
  const whole = await parked(call);
  const before = await b.events(whole.session);
  const { wakes } = await b.process().settle(whole.request, { value });
  await b.process().run(whole.turn, { issue: 0, ...call, script }, { kind: 'answer', request: wakes! });
  const after = (await b.events(whole.session)).slice(before.length);
  b.ran.length = 0;
  const cut = await parked(call);
  await b.process().settle(cut.request, { value });
  const kept = after.slice(0, after.findIndex(({ type }) => type === last) + 1);
  const events = JSON.stringify(kept)
    .replaceAll(whole.request.id, cut.request.id)
    .replaceAll(whole.turn.reading.cause, cut.turn.reading.cause);
  await b.store.sessions.load(cut.session);
  await b.store.sessions.append(cut.session, JSON.parse(events) as SessionEvent[]);
  return cut;
}

describe('bot-human-loop', () => {
  it.each([
    ['turn/start', { ran: 1, asked: 1 }],
    ['human/answer', { ran: 1, asked: 1 }],
    ['approval/decided', { ran: 0, asked: 1 }],
    ['tool/result', { ran: 0, asked: 1 }],
  ] as const)(
    'K2 K3 N10 the answering process is killed when its log reaches %s: the answer that is stored is taken up, and nobody is asked again',
    async (last, { ran, asked }) => {
      const { session, turn, request } = await answerCutOff(last, APPROVE, {}, [says('done')]);

      const outcome = await b.process().run(turn, { issue: 0, script: [says('done'), says('done')] });

      expect(outcome.status).toBe('completed');
      expect(b.ran).toHaveLength(ran);
      expect(await b.ofType(session, 'human/asked')).toHaveLength(asked);
      expect(await b.ofType(session, 'human/answer')).toHaveLength(1);
      expect(await b.ofType(session, 'approval/decided')).toEqual([{ id: request.id, outcome: 'allowed-once' }]);
      expect(await b.ofType(session, 'tool/result')).toHaveLength(1);
    },
  );
});

describe('approval', () => {
  it.each(['turn/start', 'human/answer', 'approval/decided'] as const)(
    'N6 K2 the answering process is killed before it could publish, when its log reaches %s: the stored yes to that very plan holds',
    async (last) => {
      const rules = [{ tool: 'publish', path: '**', then: 'ask' as const }];
      const fix = { job: 'fix', words: 'Fix it.', config: { ...PARK_NOW, approval: { rules } } } as const;
      const call = { ...fix, script: [calls('change'), SUBMIT, SUBMIT] };
      const { session, turn, issue } = await answerCutOff(last, APPROVE, call, [SUBMIT, SUBMIT]);

      const outcome = await b.process().run(turn, { issue: 0, ...fix, script: [SUBMIT, SUBMIT, SUBMIT] });

      expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request' } });
      expect(await b.ofType(session, 'human/asked')).toHaveLength(1);
      expect(b.comments(issue).filter(({ body }) => body.includes('dsh:request'))).toHaveLength(1);
    },
  );
});

describe('user-interaction', () => {
  it.each(['turn/start', 'human/answer', 'tool/result'] as const)(
    'N5 N12 killed between the answer and its result, when the log reaches %s: the stored answer is the result, and nobody is asked again',
    async (last) => {
      const fix = { job: 'fix', words: 'Fix it.', script: [ASK] } as const;
      const value = { kind: 'text', text: 'because' } as const;
      const { session, turn } = await answerCutOff(last, value, fix, [SUBMIT, SUBMIT]);

      await b.process().run(turn, { issue: 0, ...fix, script: [SUBMIT, SUBMIT] });

      const [result, ...more] = (await b.ofType(session, 'tool/result')).filter(({ callId }) => callId === 'c-ask');
      expect([more, JSON.stringify(result?.content)]).toEqual([[], expect.stringContaining('because')]);
      expect(await b.ofType(session, 'human/asked')).toHaveLength(1);
      expect(await b.ofType(session, 'human/answer')).toHaveLength(1);
    },
  );
});
