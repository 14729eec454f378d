import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REVIEW_SCRIPT } from '../../src/demo/story/review-script.ts';
import { REPOSITORY_FILES } from '../../src/demo/story/repository.ts';
import { reviewMarker } from '../../src/publish/markers.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { botComments, issueOf, reactionsOn, repositoryOf } from './support/look.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

const SOURCE = 'src/parse-duration.js';
const WITH_DAYS = REPOSITORY_FILES[SOURCE]!.replace('{ h:', '{ d: 82_800_000, h:').replace('[hms]', '[dhms]');

/** The same seeded pull request in five repositories, each reviewed another way; some are asked for twice. */
let stage: Stage;
let modelRequests: Record<string, number>;

beforeAll(async () => {
  stage = await openStage();
  modelRequests = {};
  const count = async (name: string, work: () => Promise<unknown>) => {
    const before = stage.model.requests.length;
    stage.play(REVIEW_SCRIPT);
    await work();
    modelRequests[name] = stage.model.requests.length - before;
  };
  for (const name of ['app-opened', 'action-opened', 'app-comment', 'action-comment', 'cli'])
    await stage.addRepository(name);

  await count('app-opened', () => viaApp(stage, () => seed('app-opened')));
  await count('app-opened again', () => viaApp(stage, async () => redeliver('pull_request')));

  await seed('action-opened');
  const opened = { repo: 'acme/action-opened', name: 'pull_request', action: 'opened', by: 'maria' };
  await count('action-opened', () => viaAction(stage, opened));
  await count('action-opened again', () => viaAction(stage, opened));
  const stateless = (folder: string) => ({ DSH_DATA_DIR: `${stage.root}/${folder}` });
  await count('action-opened stateless', () => viaAction(stage, opened, stateless('data2')));
  for (const { id } of botComments(stage, { repo: opened.repo, number: 1 })) {
    await stage.github.deleteComment(opened.repo, id, { by: 'maria' });
  }
  await count('action-opened forgotten', () => viaAction(stage, opened, stateless('data3')));

  for (const name of ['app-comment', 'action-comment', 'cli']) await seed(name);
  const ask = (name: string) => stage.github.comment(`acme/${name}`, 1, { by: 'maria', body: '/dsh review' });
  await count('app-comment', () => viaApp(stage, () => ask('app-comment')));
  await ask('action-comment');
  await count('action-comment', () =>
    viaAction(stage, { repo: 'acme/action-comment', name: 'issue_comment', action: 'created', by: 'maria' }),
  );
  await count('cli', () => viaCli(stage, ['review', `${stage.github.url}/acme/cli/pull/1`]));
}, 180_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

/** A pull request of maria's that brings a day of 23 hours. */
async function seed(name: string): Promise<void> {
  await stage.github.push(`acme/${name}`, {
    by: 'maria',
    branch: 'days',
    files: { [SOURCE]: WITH_DAYS },
    message: 'Add days',
  });
  await stage.github.openPull(`acme/${name}`, { by: 'maria', title: 'Understand days', head: 'days', base: 'main' });
}

function redeliver(event: string): void {
  const last = stage.github.deliveries.findLast((delivery) => delivery.event === event);
  if (!last) throw new Error(`no ${event} was delivered`);
  stage.github.state.webhooks.redeliver(last);
}

function pullIn(name: string) {
  const { pull } = issueOf(stage, { repo: `acme/${name}`, number: 1 });
  if (!pull) throw new Error(`no pull request in ${name}`);
  return pull;
}

const WAYS = [
  ['pull_request opened via the App', 'app-opened', 'dsh[bot]'],
  ['pull_request opened via the Action', 'action-opened', 'github-actions[bot]'],
  ['a comment via the App', 'app-comment', 'dsh[bot]'],
  ['a comment via the Action', 'action-comment', 'github-actions[bot]'],
  ['the command line', 'cli', 'maria'],
] as const;

describe('bot-review', () => {
  it.each(WAYS)('R3 R5 %s gives one review with the finding on its line', (_way, name, login) => {
    const { reviews, threads, head } = pullIn(name);
    const session = `gh-${repositoryOf(stage, `acme/${name}`).id}-1-1`;

    expect(reviews).toHaveLength(1);
    expect(reviews[0]).toMatchObject({ state: 'COMMENTED', commitId: head.sha, author: { login } });
    expect(reviews[0]?.body).toContain('The new unit is parsed, but its value is wrong.');
    expect(reviews[0]?.body).toContain(`| major | ${SOURCE}:1 | A day has 23 hours here |`);
    expect(reviews[0]?.body).toContain(reviewMarker(session, head.sha));
    expect(threads).toHaveLength(1);
    expect(threads[0]).toMatchObject({ path: SOURCE, side: 'RIGHT', line: 1, startLine: null });
    expect(threads[0]?.comments[0]?.body).toContain(
      '```suggestion\nconst UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };\n```',
    );
    expect(modelRequests[name]).toBe(4);
  });

  it('R6 E8 a head that was reviewed is not reviewed again by itself, by a host that remembers nothing', () => {
    expect(modelRequests['action-opened forgotten']).toBe(0);
    expect(pullIn('action-opened').reviews).toHaveLength(1);
    expect(pullIn('action-opened').threads).toHaveLength(1);
  });
});

describe('bot-review', () => {
  it.each([['app-opened'], ['action-opened'], ['app-comment'], ['action-comment']] as const)(
    'R9 %s ends the check of the head',
    (name) => {
      const { head } = pullIn(name);
      const checks = repositoryOf(stage, `acme/${name}`).checkRuns.filter(({ suite }) => suite.headSha === head.sha);

      expect(checks).toMatchObject([{ name: 'dsh review', status: 'completed', conclusion: 'neutral' }]);
      expect(checks[0]!.annotations).toMatchObject([{ path: SOURCE, start_line: 1, annotation_level: 'warning' }]);
    },
  );

  it('R9 a review from a terminal, whose token writes no checks, is made all the same', () => {
    expect(repositoryOf(stage, 'acme/cli').checkRuns).toEqual([]);
    expect(pullIn('cli').reviews).toHaveLength(1);
  });
});

describe('bot-triggers', () => {
  it('T5 T6 a second delivery of the same event starts no second turn', () => {
    expect(modelRequests['app-opened again']).toBe(0);
    expect(modelRequests['action-opened again']).toBe(0);
    expect(modelRequests['action-opened stateless']).toBe(0);
    expect(pullIn('app-opened').reviews).toHaveLength(1);
  });
});

describe('bot-human-loop', () => {
  it('P2 an automatic review has no comment', () => {
    expect(botComments(stage, { repo: 'acme/app-opened', number: 1 })).toEqual([]);
    expect(botComments(stage, { repo: 'acme/action-opened', number: 1 })).toEqual([]);
  });

  it.each([
    ['app-comment', 'dsh[bot]'],
    ['action-comment', 'github-actions[bot]'],
  ] as const)('P5 the comment of %s links the review and the command has its rocket', (name, login) => {
    const subject = { repo: `acme/${name}`, number: 1 };
    const own = botComments(stage, subject);

    expect(own).toHaveLength(1);
    expect(own[0]?.body).toContain('**Done**');
    expect(own[0]?.body).toContain(`[Review](${stage.github.url}/acme/${name}/pull/1#pullrequestreview-`);
    expect(
      issueOf(stage, subject)
        .comments.filter(({ author }) => author.login === 'maria')
        .map(reactionsOn),
    ).toEqual([[`${login} rocket`]]);
  });
});
