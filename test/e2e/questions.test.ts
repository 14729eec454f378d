import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { idOf, requestComment, requestsOf, tick } from './support/asking.ts';
import { viaApp } from './support/hosts.ts';
import type { AppRun } from './support/hosts.ts';
import { botComments } from './support/look.ts';
import { SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** Questions of the model to people, on the test GitHub. */
let stage: Stage;
let runs = 0;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const NOW = { park: { afterMs: 100 } };
const COLOUR = {
  ...{ id: 'colour', question: 'Which colour does the door get?' },
  options: [{ label: 'Red (Recommended)', description: 'warm' }, { label: 'Blue `dark`' }],
};
const NOTHING = submit({ outcome: 'nothing_to_do', title: 'Nothing', summary: 'It is decided.' });
const say = ({ repo, number }: Subject, body: string, by = 'maria') => stage.github.comment(repo, number, { by, body });
const run = (act: () => Promise<unknown>): Promise<AppRun> => viaApp(stage, act, {}, [], {}, NOW);
const resultSeen = () => stage.model.requests.at(-1)?.body?.messages.findLast(({ role }) => role === 'tool')?.content;

async function asked(questions: unknown[] = [COLOUR]): Promise<Subject> {
  const subject = await stage.addIssue(`questions-${runs++}`, SMALL_FILES, SMALL_ISSUE);
  stage.play([calls('ask_user_question', { questions })]);
  const { handled, log } = await run(() => say(subject, '/dsh fix'));
  expect([handled.map(({ status }) => status), log]).toEqual([['parked'], '']);
  stage.play(() => NOTHING);
  return subject;
}

describe('bot-human-loop', () => {
  it('Q1 Q2 one tick answers a single choice; a reader’s tick is undone', async () => {
    const subject = await asked();
    const comment = await requestComment(stage, subject);
    await run(() => tick(stage, subject, comment, 'rita', 0));
    expect(requestsOf(stage, subject)[0]?.body).toMatch(/- \[ \] \*\*1\*\* Red/);

    const { handled } = await run(() => tick(stage, subject, requestsOf(stage, subject)[0]!, 'maria', 1));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(resultSeen()).toBe('{"answers":[{"id":"colour","selected":["Blue `dark`"]}]}');
    expect(requestsOf(stage, subject)[0]?.body).toMatch(/\*\*Answered\*\*[^]*Answered by maria by ticking the box/);
    expect(requestsOf(stage, subject)[0]?.body).not.toContain('[ ]');
  });

  it('Q1 a plain reply of the asked person is the answer: a label, a number, or own words', async () => {
    for (const [words, result] of [
      ['2', '{"answers":[{"id":"colour","selected":["Blue `dark`"]}]}'],
      ['red (recommended)', '{"answers":[{"id":"colour","selected":["Red (Recommended)"]}]}'],
      [
        'Neither; leave it "raw".',
        '{"answers":[{"id":"colour","selected":[],"custom":"Neither; leave it \\"raw\\"."}],"answered_by":{"login":"maria","permission":"write"}}',
      ],
    ] as const) {
      const subject = await asked();
      await run(() => say(subject, 'I think 1 is nice.', 'rita'));
      expect(requestsOf(stage, subject)[0]?.body).toContain('Waiting for an answer');
      await run(() => say(subject, words));
      expect(resultSeen()).toBe(result);
    }
  });

  it('Q1 N2 N6 N12 several at once: boxes and their submit box, or one line; what does not fit is told and stays open', async () => {
    const questions = [
      { ...COLOUR, multi_select: true },
      { id: 'why', question: 'Why?' },
    ];
    const boxes = await asked(questions);
    await run(() => requestComment(stage, boxes).then((comment) => tick(stage, boxes, comment, 'maria', 0)));
    await run(() => tick(stage, boxes, requestsOf(stage, boxes)[0]!, 'maria', 1));
    expect(requestsOf(stage, boxes)[0]?.body).toContain('Waiting for an answer');
    await run(() => tick(stage, boxes, requestsOf(stage, boxes)[0]!, 'maria', 2));
    expect(resultSeen()).toBe(
      '{"answers":[{"id":"colour","selected":["Red (Recommended)","Blue `dark`"]},{"id":"why","selected":[]}]}',
    );

    const line = await asked(questions);
    const id = idOf(await requestComment(stage, line));
    await run(() => say(line, `/dsh answer ${id} q1=3`));
    expect(botComments(stage, line).at(-1)?.body).toMatch(/That is no answer: q1: there is no option 3/);
    await run(() => say(line, `/dsh answer ${id} q1=2 q2="it is \\"dark\\""`));
    expect(resultSeen()).toBe(
      '{"answers":[{"id":"colour","selected":["Blue `dark`"]},{"id":"why","selected":[],"custom":"it is \\"dark\\""}],"answered_by":{"login":"maria","permission":"write"}}',
    );
  });

  it('Q2 N7 A5 a question nobody answers ends as an error of its call, and the turn goes on', async () => {
    const subject = await stage.addIssue(`questions-${runs++}`, SMALL_FILES, SMALL_ISSUE);
    stage.play([calls('ask_user_question', { questions: [COLOUR] })]);
    const settings = { park: { afterMs: 50 }, approval: { timeoutMs: 600 } };
    await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, settings);
    await new Promise((resolve) => setTimeout(resolve, 700));
    stage.play(() => NOTHING);

    await run(async () => {
      for (let waited = 0; waited < 15_000 && requestsOf(stage, subject)[0]?.body.includes('Waiting'); waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });

    expect(resultSeen()).toContain('nobody answered in time — decide yourself');
    expect(requestsOf(stage, subject)[0]?.body).toContain('**Nobody answered**');
  });

  it('K2 K4 Q1 a goal’s question is waited for, not worked past; what is commanded meanwhile leaves it waiting', async () => {
    const subject = await stage.addIssue(`questions-${runs++}`, SMALL_FILES, SMALL_ISSUE);
    stage.play([calls('ask_user_question', { questions: [COLOUR] })]);
    const { handled } = await run(() => say(subject, '/dsh goal the door has its colour'));
    expect(handled.map(({ status }) => status)).toEqual(['parked']);
    expect(botComments(stage, subject)[0]?.body).toContain('**Waiting for you**');
    await run(() => say(subject, '/dsh title The door\n/dsh goal pause'));
    expect(botComments(stage, subject).at(-1)?.body).toContain('This session waits for an answer');

    stage.play(({ messages }, index) => {
      const shown = /\\"id\\":\\"([0-9a-f-]{36})\\"[^]*\\"revision\\":(\d+)/.exec(JSON.stringify(messages));
      if (index === 0) return says('The first round says that it is done.');
      if (index > 1) return NOTHING;
      return calls('update_goal', { id: shown?.[1] ?? '', revision: Number(shown?.[2]), action: 'complete' });
    });
    const after = await run(() => say(subject, '2'));

    expect(after.handled.map(({ status }) => status)).toEqual(['completed']);
    expect(botComments(stage, subject)[0]?.body).toContain('**Done**');
  });

  it('language: the request’s texts are in the language of who asked', async () => {
    const subject = await stage.addIssue(`questions-${runs++}`, SMALL_FILES, SMALL_ISSUE);
    stage.play([calls('ask_user_question', { questions: [COLOUR] }), says('done')]);
    await run(() => say(subject, '/dsh fix 请修复问候语'));
    expect((await requestComment(stage, subject)).body).toContain('等待回答');
    expect(botComments(stage, subject)[0]?.body).toContain('**等你决定**');
    await run(() => stage.github.editIssue(subject.repo, subject.number, { by: 'maria', state: 'closed' }));
    expect(requestsOf(stage, subject)[0]?.body).toContain('已撤回');
    expect(botComments(stage, subject)[0]?.body).toContain('**已停止**');
  });
});
