import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { zipFile } from '../../src/action/state/zip-file.ts';
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


const show = (what: string, run: { code: number | null; outputs: Readonly<Record<string,string>>; stdout: string; stderr: string; summary: string }, subject: Subject, from = 0) => {
  console.log(`##### ${what}\ncode ${run.code} ${JSON.stringify(run.outputs)}\n--- stdout\n${run.stdout}\n--- stderr\n${run.stderr.slice(0, 800)}\n--- summary\n${run.summary}\n--- comments\n` + botComments(stage, subject).slice(from).map((c) => c.body).join('\n=====\n'));
};
describe('scratch', () => {
  it('A stop with a thumb', async () => {
    const subject = await parked();
    await stage.github.react(subject.repo, { comment: requestsOf(stage, subject)[0]!.id }, { by: 'otto', content: '+1' });
    await say(subject, 'maria', '/dsh stop');
    const before = stage.model.requests.length;
    const run = await onNewRunner(subject, { action: 'created', by: 'maria' });
    show(`A stop, ${stage.model.requests.length - before} model requests`, run, subject);
  });
  it('B stranger approves, status, log', async () => {
    const subject = await parked();
    await say(subject, 'tom', `/dsh approve ${idOf(requestsOf(stage, subject)[0]!)}`);
    show('B stranger', await onNewRunner(subject, { action: 'created', by: 'tom' }), subject, 2);
    await say(subject, 'maria', `/dsh status`);
    show('B status', await onNewRunner(subject, { action: 'created', by: 'maria' }), subject, 2);
    await say(subject, 'maria', `/dsh log`);
    show('B log', await onNewRunner(subject, { action: 'created', by: 'maria' }), subject, 3);
    await say(subject, 'otto', `/dsh forget`);
    show('B forget', await onNewRunner(subject, { action: 'created', by: 'otto' }), subject);
    await say(subject, 'maria', `/dsh log`);
    show('B log2', await onNewRunner(subject, { action: 'created', by: 'maria' }), subject, 5);
  });
  it('C state lost, then approve', async () => {
    const subject = await parked();
    repositoryOf(stage, subject.repo).artifacts = [];
    await say(subject, 'otto', `/dsh approve ${idOf(requestsOf(stage, subject)[0]!)}`);
    show('C approve', await onNewRunner(subject, { action: 'created', by: 'otto' }), subject);
    await tick(stage, subject, requestsOf(stage, subject)[0]!, 'otto', 0);
    show('C tick', await onNewRunner(subject, { action: 'edited', by: 'otto' }), subject);
  });
  it('D save lost', async () => {
    const subject = await addSubject();
    stage.play([MEND]);
    const restore = stage.github.faults.inject({ match: { method: 'PUT' }, status: 403 });
    const run = await onNewRunner(subject, { action: 'created', by: 'maria' });
    restore();
    show('D', run, subject);
  });
  it('E weak key, contents missing, actions missing', async () => {
    const subject = await addSubject();
    repositoryOf(stage, subject.repo).private = true;
    stage.play([MEND]);
    const token = stage.github.createToken({ actions: subject.repo, permissions: { contents: 'write', issues: 'write', pull_requests: 'write', metadata: 'read' } as never });
    stage.play((_r, at) => at === 0 ? MEND : submit());
    show('E', await onNewRunner(subject, { action: 'created', by: 'maria' }, { 'INPUT_GITHUB-TOKEN': token }), subject);
  });
});
