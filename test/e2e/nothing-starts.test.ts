import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { botComments, branchesOf, issueOf, reactionsOn } from './support/look.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** What must not wake the model, each on an issue of its own; the model would refuse any request. */
let stage: Stage;
let subject: Subject;
let turn = 0;

beforeAll(async () => {
  stage = await openStage();
});

beforeEach(async () => {
  subject = await stage.addIssue(`quiet-${turn++}`);
});

afterEach(async () => {
  expect(stage.model.requests).toEqual([]);
  expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const say = (by: string, body: string) => stage.github.comment(subject.repo, subject.number, { by, body });
const commentBy = (by: string) => ({ repo: subject.repo, name: 'issue_comment', action: 'created', by });
const ownWrites = () =>
  stage.github.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith(`/repos/${subject.repo}/`));

describe('bot-triggers', () => {
  it('refuses a reader through the App: a thumb down and one reply, however often', async () => {
    const run = await viaApp(stage, async () => {
      await say('rita', '/dsh fix');
      await say('rita', '/dsh fix please');
    });

    const [first, , second] = issueOf(stage, subject).comments;
    expect(run.handled.map(({ status, why }) => [status, why])).toEqual([
      ['refused', 'no-permission'],
      ['refused', 'no-permission'],
    ]);
    expect(botComments(stage, subject)).toHaveLength(1);
    expect(botComments(stage, subject)[0]?.body).toContain('needs write permission');
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] -1']);
    expect([first, second].every(Boolean)).toBe(true);
  });

  it('refuses a stranger through the Action, which ends with 0 and says so in its outputs', async () => {
    await say('tom', '/dsh fix');
    const run = await viaAction(stage, commentBy('tom'));

    expect([run.code, run.outputs.status]).toEqual([0, 'refused']);
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['github-actions[bot] -1']);
    expect(botComments(stage, subject)).toHaveLength(1);
  });

  it('refuses a reader in a terminal with exit code 3 and writes nothing', async () => {
    const run = await viaCli(stage, ['fix', subject.url], { GITHUB_TOKEN: stage.github.createToken('rita') });

    expect(run.code).toBe(3);
    expect(run.stderr).toContain('Refused for rita: this needs write permission');
    expect(ownWrites()).toEqual([]);
  });

  it.each([
    ['T1 in a code block', 'maria', 'Write this:\n\n```\n/dsh fix\n```'],
    ['T1 in inline code', 'maria', '`/dsh fix` is what you write'],
    ['T1 in a quote', 'maria', '> /dsh fix\n\nDid that work?'],
    ['T2 as part of a longer word', 'maria', '/dshfix'],
    ['T7 by another bot', 'renovate[bot]', '/dsh fix'],
    ['T7 by our own app', 'dsh[bot]', '/dsh fix'],
    ['T7 beside a marker of ours', 'maria', '<!-- dsh:job gh-1-1-1 comment-1 -->\n/dsh fix'],
  ])('%s the command starts nothing and nothing is written', async (_where, by, body) => {
    const run = await viaApp(stage, () => say(by, body));

    expect(run.handled).toEqual([]);
    expect(run.log).toBe('');
    expect(ownWrites()).toEqual([]);
  });

  it.each([
    ['T7 by another bot', 'renovate[bot]', '/dsh fix'],
    ['T7 by the Actions bot itself', 'github-actions[bot]', '/dsh fix'],
    ['T1 in a code block', 'maria', '```\n/dsh fix\n```'],
  ])('%s the command starts nothing in an Action either', async (_where, by, body) => {
    await say(by, body);
    const run = await viaAction(stage, commentBy(by));

    expect([run.code, run.outputs.status]).toEqual([0, 'ignored']);
    expect(ownWrites()).toEqual([]);
  });

  it('T3 answers an unknown command with the nearest one', async () => {
    await viaApp(stage, () => say('maria', '/dsh fixx the hours'));

    expect(botComments(stage, subject)).toHaveLength(1);
    expect(botComments(stage, subject)[0]?.body).toContain('Did you mean `/dsh fix`?');
  });

  it('T3 answers an unknown flag, and runs nothing', async () => {
    await viaApp(stage, () => say('maria', '/dsh fix --fast'));

    expect(botComments(stage, subject)[0]?.body).toContain('has no flag `--fast`');
  });
});
