import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { botComments, gitOf, pullsOf } from './support/look.ts';
import { serveApart } from './support/serve-apart.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** `/dsh plan`: a plan for a person, and once it is approved the fix that carries it out. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const PARK_SOON = { park: { afterMs: 100 } };
const PLAN = '# Goal\n\nGreet with hello: greet.txt:1.\n\n# Tests\n\n`sh check.sh`.';
const say = ({ repo, number }: Subject, body: string) => stage.github.comment(repo, number, { by: 'maria', body });
const run = (act: () => Promise<unknown>) => viaApp(stage, act, {}, [], {}, PARK_SOON);
const plans = () => calls('submit_plan', { plan: PLAN });

/** The fix is a turn of its own, after the one that was answered. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isSo(); tries++) await sleep(100);
}

describe('user-interaction', () => {
  it('N11 H2 a worker that is killed within the fix of an approved plan: the next one carries it out, once', async () => {
    const subject = await stage.addIssue('killed', SMALL_FILES, SMALL_ISSUE);
    stage.play([plans()]);
    await run(() => say(subject, '/dsh plan'));
    const { promise: inFix, resolve } = Promise.withResolvers<void>();
    stage.play((_request, index) => (index === 0 ? says('The plan stands.') : new Promise(() => resolve())));
    const server = await serveApart(stage);
    await say(subject, '/dsh approve');
    await inFix;
    server.kill();
    await server.gone;
    stage.github.setWebhookTarget(undefined);

    stage.play([MEND, submit()]);
    const { log } = await run(() => until(() => pullsOf(stage, subject.repo).length > 0));

    expect(log).toBe('');
    const pulls = pullsOf(stage, subject.repo);
    expect(pulls).toHaveLength(1);
    expect(await gitOf(stage, subject.repo, 'show', `${pulls[0]!.pull!.head.ref}:greet.txt`)).toBe('hello world');
    const request = JSON.stringify(stage.model.requests.at(-1)!.body!.messages);
    expect(request.split('Carry out the plan that was approved.')).toHaveLength(2);
  }, 60_000);
});

describe('prompts', () => {
  it('PR51 an approved plan is carried out by a fix that follows it, in the same session', async () => {
    const subject = await stage.addIssue('planned', SMALL_FILES, SMALL_ISSUE);
    stage.play([plans()]);
    const parked = await run(() => say(subject, '/dsh plan'));
    expect(parked.handled.map(({ status }) => status)).toEqual(['parked']);
    expect(botComments(stage, subject).some(({ body }) => body.includes('Greet with hello: greet.txt:1.'))).toBe(true);
    // What happens while it waits, and a name for the session, stand in the log behind the plan.
    await run(() => stage.github.editIssue(subject.repo, subject.number, { by: 'tom', body: 'It says helo, see?' }));
    await run(() => say(subject, '/dsh title The greeting'));
    stage.play([says('The plan stands.'), MEND, submit()]);

    const { log } = await run(async () => {
      await say(subject, '/dsh approve');
      await until(() => pullsOf(stage, subject.repo).length > 0);
    });

    expect(log).toBe('');
    const [pull] = pullsOf(stage, subject.repo);
    expect(await gitOf(stage, subject.repo, 'show', `${pull!.pull!.head.ref}:greet.txt`)).toBe('hello world');
    const request = stage.model.requests.at(-1)!.body!;
    expect(JSON.stringify(request.messages)).toContain('Carry out the plan that was approved.');
    expect(JSON.stringify(request.messages)).toContain('Greet with hello');
  });

  it('PR51 words of the person instead bring another plan, and no change', async () => {
    const subject = await stage.addIssue('replanned', SMALL_FILES, SMALL_ISSUE);
    stage.play([plans()]);
    await run(() => say(subject, '/dsh plan'));
    stage.play([plans()]);

    const { handled } = await run(() => say(subject, '/dsh deny Mind the tests.'));

    expect(handled.map(({ status }) => status)).toEqual(['parked']);
    expect(JSON.stringify(stage.model.requests.at(-1)!.body!.messages)).toContain('Mind the tests.');
    expect(pullsOf(stage, subject.repo)).toEqual([]);
  });
});
