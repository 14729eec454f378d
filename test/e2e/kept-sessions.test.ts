import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { zipFile } from '../../src/action/state/zip-file.ts';
import { createGitHub } from '../../src/github/client.ts';
import { refuses } from '../../src/demo/model/reply.ts';
import type { Artifact } from '../../src/demo/github/records.ts';
import { askingFiles, idOf, requestsOf, tick } from './support/asking.ts';
import { viaAction } from './support/hosts.ts';
import type { WantedEvent } from './support/hosts.ts';
import { containersOf } from './support/leftovers.ts';
import { botComments, gitOf, pullsOf, repositoryOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject, Variables } from './support/stage.ts';

/** Runs of the Action that share nothing but GitHub: each has a runner of its own, and what a run leaves there is gone. */
let stage: Stage;
let subjects = 0;
jest.setTimeout(180_000);

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const NAME = 'dsh-session-issue-1';
const artifacts = ({ repo }: Subject): Artifact[] =>
  repositoryOf(stage, repo).artifacts.filter(({ name }) => name === NAME);

async function onNewRunner(
  { repo }: Subject,
  event: Omit<WantedEvent, 'repo' | 'name'>,
  changed: Variables = {},
  stop?: Parameters<typeof viaAction>[3],
) {
  const RUNNER_TEMP = await mkdtemp(join(stage.root, 'runner-'));
  const variables = { RUNNER_TEMP, DSH_DATA_DIR: undefined, 'INPUT_WAIT-MINUTES': '0', ...changed };
  return viaAction(stage, { repo, name: 'issue_comment', ...event }, variables, stop);
}

const say = ({ repo, number }: Subject, by: string, body: string) => stage.github.comment(repo, number, { by, body });

async function addSubject(files = askingFiles(60_000)): Promise<Subject> {
  const subject = await stage.addIssue(`kept-${subjects++}`, files, SMALL_ISSUE);
  stage.github.addCollaborator(subject.repo, 'otto', 'admin');
  await say(subject, 'maria', '/dsh fix');
  return subject;
}

/** A fix that asks whether it may mend the slip, and whose run has ended with that. */
async function parked(changed: Variables = {}): Promise<Subject> {
  const subject = await addSubject();
  stage.play([MEND]);
  const run = await onNewRunner(subject, { action: 'created', by: 'maria' }, changed);
  expect([run.code, run.outputs.status]).toEqual([0, 'parked']);
  expect(await containersOf(stage.root)).toEqual([]);
  stage.play(() => submit());
  return subject;
}

/** What the model was told of the call that waited, in the first request after it. */
function resultOfTheCall(): string | null | undefined {
  return stage.model.requests.at(-1)?.body?.messages.findLast(({ role }) => role === 'tool')?.content;
}

async function expectMended(subject: Subject): Promise<void> {
  expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  const mended = await gitOf(stage, subject.repo, 'show', 'dsh/issue-1-greet-with-hello:greet.txt');
  expect(mended.trim()).toBe('hello world');
}

describe('bot-hosts', () => {
  it('H9 K3 A1 a run parks, its runner is gone, and the run of the answer goes on with the very call, once; a forgery is ignored', async () => {
    const subject = await parked();
    const [kept, ...more] = artifacts(subject);
    expect(more).toEqual([]);
    const readable = kept!.zip.toString('latin1');
    for (const secret of [stage.modelKey, 'ghs_', 'helo', 'sed -i', 'user/message'])
      expect({ secret, isThere: readable.includes(secret) }).toEqual({ secret, isThere: false });
    const fork = await stage.github.addFork(subject.repo, 'tom');
    const forged = stage.github.addArtifact(
      subject.repo,
      NAME,
      zipFile('session.sealed', kept!.zip.subarray(0, 400)),
      7,
    );
    forged.headRepositoryId = fork.id;
    await say(subject, 'rita', 'A word that decides nothing.');
    const idle = await onNewRunner(subject, { action: 'created', by: 'rita' });
    expect([idle.outputs.status, ...artifacts(subject)]).toEqual(['ignored', kept, forged]);

    const id = idOf(requestsOf(stage, subject)[0]!);
    await say(subject, 'otto', `/dsh approve ${id}`);
    const run = await onNewRunner(subject, { action: 'created', by: 'otto' });

    expect([run.code, run.outputs.status, run.outputs['session-id']]).toEqual([
      0,
      'completed',
      `gh-${repositoryOf(stage, subject.repo).id}-1-1`,
    ]);
    expect(run.stdout).toContain(`the artifact ${NAME} (${forged.id}) was not made by this workflow`);
    expect(requestsOf(stage, subject)).toHaveLength(1);
    expect(requestsOf(stage, subject)[0]?.body).toContain('Approved by otto by command');
    await expectMended(subject);
    const now = artifacts(subject).map((artifact) => artifact.id);
    expect(now).toHaveLength(2);
    expect(now).not.toContain(kept!.id);

    const before = stage.model.requests.length;
    const again = await onNewRunner(subject, { action: 'created', by: 'otto' });
    expect([again.outputs.status, stage.model.requests.length - before]).toEqual(['ignored', 0]);
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  });

  it('H9 K3 Q2 with `state: ref` a tick goes on with it; each state is one commit without a parent', async () => {
    const subject = await parked({ INPUT_STATE: 'ref' });
    const ref = 'refs/dsh/issue/1';
    const first = await gitOf(stage, subject.repo, 'rev-parse', ref);
    expect(artifacts(subject)).toEqual([]);

    await tick(stage, subject, requestsOf(stage, subject)[0]!, 'otto', 0);
    const run = await onNewRunner(subject, { action: 'edited', by: 'otto' }, { INPUT_STATE: 'ref' });

    expect([run.code, run.outputs.status]).toEqual([0, 'completed']);
    await expectMended(subject);
    const second = await gitOf(stage, subject.repo, 'rev-parse', ref);
    expect(second).not.toBe(first);
    expect(await gitOf(stage, subject.repo, 'rev-list', '--count', ref)).toBe('1');
  });

  it('H9 A4 a reaction, of which GitHub tells nobody, is found by the next run of the session, whatever started it', async () => {
    const subject = await parked();
    await stage.github.react(
      subject.repo,
      { comment: requestsOf(stage, subject)[0]!.id },
      { by: 'otto', content: '-1' },
    );
    stage.play(() => submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'It was refused.' }));
    await say(subject, 'rita', 'What is going on here?');

    const run = await onNewRunner(subject, { action: 'created', by: 'rita' });

    expect([run.code, run.outputs.status]).toEqual([0, 'completed']);
    expect(requestsOf(stage, subject)[0]?.body).toContain('Denied by otto by a reaction');
    expect(resultOfTheCall()).toContain('refused');
    expect(pullsOf(stage, subject.repo)).toEqual([]);
  });

  it('H9 a cancelled run keeps what it had, and `/dsh retry` goes on with it in another', async () => {
    const subject = await addSubject(SMALL_FILES);
    const stopping = new AbortController();
    stage.play(async (_request, index) => {
      if (index === 0) return MEND;
      stopping.abort();
      await sleep(2_000);
      return submit();
    });
    const stop = { signal: stopping.signal, by: 'SIGINT' } as const;
    const run = await onNewRunner(subject, { action: 'created', by: 'maria' }, {}, stop);
    expect([run.code, run.outputs.status]).toEqual([0, 'stopped']);
    expect(botComments(stage, subject)[0]?.body).toContain('The job was interrupted.');
    expect(artifacts(subject)).toHaveLength(1);

    stage.play(() => submit());
    await say(subject, 'maria', '/dsh retry');
    const retried = await onNewRunner(subject, { action: 'created', by: 'maria' });

    expect([retried.code, retried.outputs.status]).toEqual([0, 'completed']);
    await expectMended(subject);
  });

  it('H9 T5 a run that failed and is run again does its work, with the log of before', async () => {
    const subject = await addSubject(SMALL_FILES);
    stage.play(() => refuses(400, 'Model Not Exist'));
    const attempt = (count: string) => ({ GITHUB_RUN_ID: '77', GITHUB_RUN_ATTEMPT: count });
    const failed = await onNewRunner(subject, { action: 'created', by: 'maria' }, attempt('1'));
    expect([failed.code, failed.outputs.status]).toEqual([1, 'failed']);

    stage.play([MEND, submit()]);
    const again = await onNewRunner(subject, { action: 'created', by: 'maria' }, attempt('2'));

    expect([again.code, again.outputs.status]).toEqual([0, 'completed']);
    expect(again.stdout).toContain('goes on with session');
    await expectMended(subject);
  });

  it('H9 a state that cannot be saved is said, and the question is asked no more, since no run could take the answer', async () => {
    const subject = await addSubject();
    stage.play([MEND]);
    const restore = stage.github.faults.inject({ match: { method: 'PUT' }, status: 403 });

    const run = await onNewRunner(subject, { action: 'created', by: 'maria' });
    restore();

    expect([run.code, run.outputs.status]).toEqual([0, 'stopped']);
    expect(run.stdout).toMatch(/^::warning::The session could not be kept: .*answered 403 to the upload/m);
    expect(run.summary).toContain('The session could not be kept');
    expect(requestsOf(stage, subject)[0]?.body).toContain('**Withdrawn**');
    expect(artifacts(subject)).toEqual([]);
  });

  it.each([
    ['K3 `state: none`', { INPUT_STATE: 'none' }, /^$/],
    ['a runner that takes no artifacts', { ACTIONS_RUNTIME_TOKEN: undefined }, /takes no artifacts from this step/],
    ['no `api-key`', { 'INPUT_API-KEY': '', DEEPSEEK_API_KEY: 'set' }, /api-key is empty, so nothing/],
  ])('H9 with %s nothing parks: nobody answered, and the turn goes on', async (_what, changed, said) => {
    const subject = await addSubject();
    const nothing = submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'Nobody answered.' });
    stage.play((_request, at) => (at === 0 ? MEND : nothing));
    const variables = 'DEEPSEEK_API_KEY' in changed ? { ...changed, DEEPSEEK_API_KEY: stage.modelKey } : changed;

    const run = await onNewRunner(subject, { action: 'created', by: 'maria' }, variables);

    expect([run.code, run.outputs.status]).toEqual([0, 'completed']);
    expect(requestsOf(stage, subject)[0]?.body).toContain('**Nobody answered**');
    expect(
      run.stdout
        .split('\n')
        .filter((line) => /kept between runs/.test(line))
        .join('\n'),
    ).toMatch(said);
    expect(artifacts(subject)).toEqual([]);
  });

  it('H9 a run that is cancelled before it has read what is kept ends as stopped, and no failure is told', async () => {
    const subject = await stage.addIssue(`kept-${subjects++}`, SMALL_FILES, SMALL_ISSUE);
    await say(subject, 'maria', '/dsh fix');
    const stopping = new AbortController();
    const test = (path: string) => {
      const isListing = path.endsWith('/actions/artifacts');
      if (isListing) stopping.abort();
      return isListing;
    };
    const path = Object.assign(/artifacts/, { test });
    const restore = stage.github.faults.inject({ match: { path }, latencyMs: 3_000 });

    const stop = { signal: stopping.signal, by: 'SIGINT' } as const;
    const run = await onNewRunner(subject, { action: 'created', by: 'maria' }, {}, stop);
    restore();

    expect([run.code, run.outputs.status]).toEqual([0, 'stopped']);
    expect(run.stdout).not.toContain('::error::');
    expect(botComments(stage, subject)).toEqual([]);
  });

  it('H9 an answer to a question whose session is lost finds nothing, and the question says so instead of asking forever', async () => {
    const subject = await stage.addIssue(`kept-${subjects++}`, SMALL_FILES, SMALL_ISSUE);
    stage.github.addCollaborator(subject.repo, 'otto', 'admin');
    const [owner, repo] = subject.repo.split('/') as [string, string];
    const auth = stage.github.createToken({ actions: subject.repo });
    const body =
      '<!-- dsh:request ap_1234567890ab -->\n**Waiting for an approval**\n\n<sub>Asked · `ap_1234567890ab`</sub>';
    const { rest } = createGitHub({ auth, apiUrl: stage.github.apiUrl });
    await rest.issues.createComment({ owner, repo, issue_number: subject.number, body });
    await say(subject, 'otto', '/dsh approve ap_1234567890ab');

    const run = await onNewRunner(subject, { action: 'created', by: 'otto' });

    expect(run.code).toBe(0);
    expect(requestsOf(stage, subject)[0]?.body).toContain('**Withdrawn**');
  });

  it('H9 nothing is kept under a key that could be guessed, and the log says so', async () => {
    const subject = await stage.addIssue(`kept-${subjects++}`, SMALL_FILES, SMALL_ISSUE);
    await say(subject, 'maria', '/dsh title A slip');

    const run = await onNewRunner(subject, { action: 'created', by: 'maria' }, { 'INPUT_API-KEY': 'ollama' });

    expect(run.stdout).toContain('the input api-key could be guessed, so nothing of the session is kept between runs');
    expect(artifacts(subject)).toEqual([]);
  });
});
