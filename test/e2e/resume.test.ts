import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { calls } from '../../src/demo/model/reply.ts';
import { askingFiles, idOf, requestComment, requestsOf, tick } from './support/asking.ts';
import { viaAction, viaCli } from './support/hosts.ts';
import { containersOf } from './support/leftovers.ts';
import { gitOf, pullsOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** A terminal without a person: what waits is parked, and resumed by another command. */
let stage: Stage;
let runs = 0;
/** Several processes one after the other. */
jest.setTimeout(180_000);

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const BRANCH = 'dsh/issue-1-greet-with-hello';
const addIssue = (files = askingFiles(60_000)) => stage.addIssue(`resume-${runs++}`, files, SMALL_ISSUE);
const requests = ({ repo, number }: Subject) => {
  const all = stage.github.state.findRepository(repo)!.issues.get(number)!.comments;
  return all.filter(({ body }) => body.includes('<!-- dsh:request '));
};

async function parked(script = [MEND], files?: Parameters<typeof addIssue>[0]) {
  const subject = await addIssue(files);
  stage.play(script);
  const { code, json, stderr } = await viaCli(stage, ['fix', subject.url]);
  expect([code, (json as { status: string }).status]).toEqual([5, 'parked']);
  const session = /dsh resume (\S+)/.exec(stderr)![1]!;
  expect(await containersOf(stage.root)).toEqual([]);
  expect(requestsOf(stage, subject)).toEqual([]);
  expect(requests(subject)).toHaveLength(1);
  stage.play(() => submit());
  return { subject, session, id: idOf(requests(subject)[0]!) };
}

describe('bot-human-loop', () => {
  it('K3 A1 without a terminal the session is parked with exit code 5; resumed unanswered it still is', async () => {
    const { subject, session, id } = await parked();

    const still = await viaCli(stage, ['resume', session]);
    expect([still.code, still.stderr]).toEqual([5, expect.stringContaining(`${id} still waits`)]);

    await stage.github.comment(subject.repo, subject.number, { by: 'rita', body: `/dsh approve ${id}` });
    expect((await viaCli(stage, ['resume', session])).code).toBe(5);

    stage.github.addCollaborator(subject.repo, 'otto', 'admin');
    await stage.github.comment(subject.repo, subject.number, { by: 'otto', body: `Fine.\n\n/dsh approve ${id}` });
    const { code } = await viaCli(stage, ['resume', session]);

    expect(code).toBe(0);
    expect(requests(subject)[0]?.body).toContain('Approved by otto by command');
    expect(await gitOf(stage, subject.repo, 'show', `${BRANCH}:greet.txt`)).toBe('hello world');
    expect((await viaCli(stage, ['resume', session])).code).toBe(2);
  });

  it('A2 A4 a tick counts when the session is resumed, where GitHub tells that one person alone made it', async () => {
    const one = await parked();
    const box = () => requests(one.subject)[0]!;
    await tick(stage, one.subject, box(), 'rita', 0);
    const byReader = await viaCli(stage, ['resume', one.session]);
    expect([byReader.code, byReader.stderr]).toEqual([5, expect.stringContaining('rita, who may not decide')]);

    stage.github.addCollaborator(one.subject.repo, 'otto', 'admin');
    await tick(stage, one.subject, box(), 'otto', 0);
    const mixed = await viaCli(stage, ['resume', one.session]);
    expect([mixed.code, mixed.stderr]).toEqual([5, expect.stringContaining('it counts for nobody')]);

    const other = await parked();
    stage.github.addCollaborator(other.subject.repo, 'otto', 'admin');
    await tick(stage, other.subject, requests(other.subject)[0]!, 'otto', 0);
    expect((await viaCli(stage, ['resume', other.session])).code).toBe(0);
    expect(requests(other.subject)[0]?.body).toContain('Approved by otto by ticking the box');
    expect(await gitOf(stage, other.subject.repo, 'show', `${BRANCH}:greet.txt`)).toBe('hello world');
  });

  it('A4 a thumb on GitHub is found when the session is resumed', async () => {
    const { subject, session } = await parked();
    stage.github.addCollaborator(subject.repo, 'otto', 'admin');
    await stage.github.react(subject.repo, { comment: requests(subject)[0]!.id }, { by: 'otto', content: '+1' });

    expect((await viaCli(stage, ['resume', session])).code).toBe(0);

    expect(requests(subject)[0]?.body).toContain('Approved by otto by a reaction');
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  });

  it('A7 K2 --approve and --deny answer in the terminal, as the owner of the token', async () => {
    const one = await parked();
    expect((await viaCli(stage, ['resume', one.session, '--approve'])).code).toBe(0);
    expect(requests(one.subject)[0]?.body).toContain('Approved by maria in a terminal');
    expect(pullsOf(stage, one.subject.repo)).toHaveLength(1);

    const two = await parked();
    stage.play(() => submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'Not allowed.' }));
    expect((await viaCli(stage, ['resume', two.session, '--deny', 'too risky'])).code).toBe(0);
    expect(requests(two.subject)[0]?.body).toMatch(/Denied by maria in a terminal[^]*Reason: too risky/);
    expect(pullsOf(stage, two.subject.repo)).toEqual([]);
  });

  it('A2 N6 who may not decide is refused with 3, an answer that does not fit with 2, and it goes on waiting', async () => {
    const { session, subject } = await parked();
    const rita = { GITHUB_TOKEN: stage.github.createToken('rita') };
    expect((await viaCli(stage, ['resume', session, '--approve'], rita)).code).toBe(3);
    expect((await viaCli(stage, ['resume', session, '--answer', 'yes'])).code).toBe(2);
    expect((await viaCli(stage, ['resume', session, '--approve', '--deny'])).code).toBe(2);
    expect((await viaCli(stage, ['resume', 'gh-0-0-1'])).code).toBe(2);
    expect(requests(subject)[0]?.body).toContain('Waiting for an approval');
  });

  it('Q1 --answer answers a question', async () => {
    const questions = [{ id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
    const { session, subject } = await parked([calls('ask_user_question', { questions })], SMALL_FILES);
    stage.play(() => submit({ outcome: 'nothing_to_do', title: 'Nothing', summary: 'Decided.' }));

    expect((await viaCli(stage, ['resume', session, '--answer', '2'])).code).toBe(0);

    const seen = stage.model.requests.at(-1)?.body?.messages.findLast(({ role }) => role === 'tool')?.content;
    expect(seen).toBe('{"answers":[{"id":"q","selected":["B"]}]}');
    expect(requests(subject)[0]?.body).toContain('Answered by maria in a terminal');
  });
});

describe('bot-hosts', () => {
  it('H12 A1 K3 a run of the Action sees the answer while it waits; without one, and with nothing kept, nobody answered', async () => {
    const subject = await addIssue();
    stage.github.addCollaborator(subject.repo, 'otto', 'admin');
    const event = { repo: subject.repo, name: 'issue_comment', action: 'created', by: 'maria' };
    await stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' });
    stage.play((_request, at) => (at === 0 ? MEND : submit()));
    const running = viaAction(stage, event, { 'INPUT_WAIT-MINUTES': '2' });
    const asked = await requestComment(stage, subject);
    await stage.github.comment(subject.repo, subject.number, { by: 'otto', body: `/dsh approve ${idOf(asked)}` });
    const run = await running;

    expect([run.code, run.outputs.status]).toEqual([0, 'completed']);
    expect(requestsOf(stage, subject)[0]?.body).toContain('Approved by otto by command');
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);

    const other = await addIssue();
    await stage.github.comment(other.repo, other.number, { by: 'maria', body: '/dsh fix' });
    const nothing = submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'Nobody answered.' });
    stage.play((_request, at) => (at === 0 ? MEND : nothing));
    const forgetful = { 'INPUT_WAIT-MINUTES': '0', INPUT_STATE: 'none', DSH_DATA_DIR: `${stage.root}/run/data` };
    const alone = await viaAction(stage, { ...event, repo: other.repo }, forgetful);

    expect([alone.code, alone.outputs.status]).toEqual([0, 'completed']);
    expect(requestsOf(stage, other)[0]?.body).toContain('**Nobody answered**');

    const third = await addIssue();
    await stage.github.comment(third.repo, third.number, { by: 'maria', body: '/dsh fix' });
    stage.play([MEND]);
    const kept = await viaAction(stage, { ...event, repo: third.repo }, { 'INPUT_WAIT-MINUTES': '0' });
    expect([kept.code, kept.outputs.status]).toEqual([0, 'parked']);
  });
});
