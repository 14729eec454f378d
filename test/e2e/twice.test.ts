import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { says } from '../../src/demo/model/reply.ts';
import type { Script } from '../../src/demo/model/reply.ts';
import { viaAction, viaApp } from './support/hosts.ts';
import { botComments, branchesOf, gitOf, issueOf, pullsOf, reactionsOn } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** The same thing again: a second delivery, a second run of the job, a second request. */
let stage: Stage;
let runs = 0;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const BRANCH = 'dsh/issue-1-greet-with-hello';
const addIssue = () => stage.addIssue(`twice-${runs++}`, SMALL_FILES, SMALL_ISSUE);
const ask = ({ repo, number }: Subject, body = '/dsh fix') => stage.github.comment(repo, number, { by: 'maria', body });
const commentEvent = ({ repo }: Subject) => ({ repo, name: 'issue_comment', action: 'created', by: 'maria' });
/** The model of a second run finds the slip where the first one found it. */
const MENDS: Script = ({ messages }) => (messages.some(({ role }) => role === 'assistant') ? submit() : MEND);

async function expectOneOfEach(subject: Subject): Promise<void> {
  expect(await branchesOf(stage, subject.repo)).toEqual([BRANCH, 'main']);
  expect(await gitOf(stage, subject.repo, 'rev-list', '--count', `main..${BRANCH}`)).toBe('1');
  expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  expect(botComments(stage, subject)).toHaveLength(1);
  expect(botComments(stage, subject)[0]?.body).toContain('**Done**');
}

describe('bot-triggers', () => {
  it('T5 T6 the same delivery again starts nothing', async () => {
    const subject = await addIssue();
    stage.play([MEND, submit()]);
    await viaApp(stage, () => ask(subject));
    const before = stage.model.requests.length;

    const delivery = stage.github.deliveries.find(
      ({ event, payload }) =>
        event === 'issue_comment' &&
        (payload.comment as { user: { login: string } }).user.login === 'maria' &&
        payload.repository !== undefined &&
        (payload.repository as { full_name: string }).full_name === subject.repo,
    );
    const again = await viaApp(stage, async () => stage.github.state.webhooks.redeliver(delivery!));

    expect(again.handled).toEqual([]);
    expect(again.ignored).toEqual([]);
    expect(stage.model.requests.length).toBe(before);
    await expectOneOfEach(subject);
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] rocket']);
  });

  it('T5 a finished job that is run again without its state starts nothing', async () => {
    const subject = await addIssue();
    await ask(subject);
    stage.play(MENDS);
    await viaAction(stage, commentEvent(subject));
    const before = stage.model.requests.length;

    const again = await viaAction(stage, commentEvent(subject), {
      DSH_DATA_DIR: `${stage.root}/fresh`,
      GITHUB_RUN_ATTEMPT: '2',
    });

    expect([again.code, again.outputs.status]).toEqual([0, 'ignored']);
    expect(stage.model.requests.length).toBe(before);
    await expectOneOfEach(subject);
  });

  it('T9 a fix asked on the pull request we made commits to its branch', async () => {
    const subject = await addIssue();
    stage.play([MEND, submit()]);
    await viaApp(stage, () => ask(subject));
    stage.play([run("sed -i 's/world/all/' greet.txt"), submit({ title: 'Greet all' })]);

    await viaApp(stage, () => ask({ ...subject, number: 2 }, '/dsh fix greet all'));

    expect(await branchesOf(stage, subject.repo)).toEqual([BRANCH, 'main']);
    expect(await gitOf(stage, subject.repo, 'show', `${BRANCH}:greet.txt`)).toBe('hello all');
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
    expect(botComments(stage, { repo: subject.repo, number: 2 })[0]?.body).toContain(`to \`${BRANCH}\``);
  });
});

describe('bot-fix', () => {
  it('U6 P2 killed between commit and pull request and run again: one branch, one commit, one pull request, one comment', async () => {
    const subject = await addIssue();
    await ask(subject);
    stage.play(MENDS);
    const killed = new AbortController();
    const { faults } = stage.github;
    faults.inject({
      match: { method: 'POST', path: `/repos/${subject.repo}/pulls` },
      latencyMs: 5_000,
      drop: 'before',
    });
    const dying = viaAction(
      stage,
      commentEvent(subject),
      { DSH_DATA_DIR: `${stage.root}/killed` },
      { signal: killed.signal, by: 'SIGKILL' },
    );
    while (!(await branchesOf(stage, subject.repo)).includes(BRANCH)) await sleep(50);
    await sleep(200);
    killed.abort();
    await dying;

    expect(await branchesOf(stage, subject.repo)).toEqual([BRANCH, 'main']);
    expect(pullsOf(stage, subject.repo)).toEqual([]);
    expect(botComments(stage, subject)[0]?.body).toContain('**Working on it**');
    faults.clear();

    const again = await viaAction(stage, commentEvent(subject), {
      DSH_DATA_DIR: `${stage.root}/again`,
      GITHUB_RUN_ATTEMPT: '2',
    });

    expect([again.code, again.outputs.status]).toEqual([0, 'completed']);
    await expectOneOfEach(subject);
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['github-actions[bot] rocket']);
  });

  it('U6 a lost answer to the creation of the pull request makes no second one', async () => {
    const subject = await addIssue();
    stage.play(MENDS);
    stage.github.faults.inject({ match: { method: 'POST', path: `/repos/${subject.repo}/pulls` }, drop: 'after' });

    const { handled } = await viaApp(stage, () => ask(subject));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    await expectOneOfEach(subject);
  });

  it('U7 P2 lost answers to comment, reaction, commit and branch make no second of any', async () => {
    const subject = await addIssue();
    stage.play(MENDS);
    for (const path of ['issues/1/comments', 'git/trees', 'git/commits', 'git/refs']) {
      stage.github.faults.inject({ match: { method: 'POST', path: `/repos/${subject.repo}/${path}` }, drop: 'after' });
    }

    const { handled } = await viaApp(stage, () => ask(subject));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    await expectOneOfEach(subject);
  });

  it('U2 T9 C7 J7 a second fix goes on in the same session, branch and pull request', async () => {
    const subject = await addIssue();
    stage.play([MEND, submit()]);
    await viaApp(stage, () => ask(subject));
    stage.play([
      run("sed -i 's/world/there/' greet.txt"),
      submit({ title: 'Greet who is there', summary: 'Says there.' }),
    ]);

    const { handled } = await viaApp(stage, () => ask(subject, '/dsh fix say there instead of world'));

    expect(handled[0]?.outcome).toMatchObject({
      status: 'completed',
      produced: { kind: 'pull-request', branch: BRANCH },
    });
    expect(await branchesOf(stage, subject.repo)).toEqual([BRANCH, 'main']);
    expect(await gitOf(stage, subject.repo, 'rev-list', '--count', `main..${BRANCH}`)).toBe('2');
    expect(await gitOf(stage, subject.repo, 'show', `${BRANCH}:greet.txt`)).toBe('hello there');
    const [pull, ...others] = pullsOf(stage, subject.repo);
    expect(others).toEqual([]);
    expect(pull?.pull?.head.sha).toBe(await gitOf(stage, subject.repo, 'rev-parse', BRANCH));
    const [last] = stage.model.requests.slice(-1);
    const said = last?.body?.messages.map(({ content }) => content).join('\n');
    expect(said).toContain('say there instead of world');
    expect(said).toContain('Fix this issue.');
  });
});

describe('bot-hosts', () => {
  it('two issues of one repository are worked side by side, each in its own session', async () => {
    const subject = await addIssue();
    const second = await stage.github.openIssue(subject.repo, { by: 'tom', title: 'Another', body: 'text' });
    stage.play(() => says('Nothing to do.'));

    const { handled } = await viaApp(stage, async () => {
      await ask(subject, '/dsh ask one?');
      await ask({ ...subject, number: second.number }, '/dsh ask two?');
    });

    expect(handled.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(new Set(handled.map(({ outcome }) => outcome?.session)).size).toBe(2);
  });
});
