import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIX_SCRIPT } from '../../src/demo/story/fix-script.ts';
import { jobMarker } from '../../src/publish/markers.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import type { ActionRun, AppRun, CliRun } from './support/hosts.ts';
import { botComments, branchesOf, gitOf, issueOf, pullsOf, reactionsOn, repositoryOf } from './support/look.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

const BRANCH = 'dsh/issue-1-add-up-all-units-of-a-duration';

/** One event, `/dsh fix` by maria on the same issue, once through each host. */
let stage: Stage;
const subjects = {} as Record<'app' | 'action' | 'cli', Subject>;
let app: AppRun;
let action: ActionRun;
let cli: CliRun;

beforeAll(async () => {
  stage = await openStage();
  const { github } = stage;
  for (const host of ['app', 'action', 'cli'] as const) subjects[host] = await stage.addIssue(host);
  const ask = ({ repo, number }: Subject) => github.comment(repo, number, { by: 'maria', body: '/dsh fix' });

  stage.play(FIX_SCRIPT);
  app = await viaApp(stage, () => ask(subjects.app));
  stage.play(FIX_SCRIPT);
  await ask(subjects.action);
  action = await viaAction(stage, { repo: 'acme/action', name: 'issue_comment', action: 'created', by: 'maria' });
  stage.play(FIX_SCRIPT);
  cli = await viaCli(stage, ['fix', subjects.cli.url]);
}, 120_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

async function pullRequestIn({ repo }: Subject) {
  const [issue] = pullsOf(stage, repo);
  const pull = issue?.pull;
  if (!issue || !pull) throw new Error(`no pull request in ${repo}`);
  const { name, id } = repositoryOf(stage, repo);
  const [tree, parents, message] = (
    await gitOf(stage, repo, 'show', '-s', '--format=%T%x00%P%x00%B', pull.head.sha)
  ).split('\0');
  return {
    title: issue.title,
    body: issue.body?.replaceAll(name, 'NAME').replaceAll(`gh-${id}-`, 'gh-ID-'),
    branch: pull.head.ref,
    base: pull.base.ref,
    draft: pull.draft,
    tree,
    parent: parents === pull.base.sha,
    message: message?.trim(),
  };
}

describe('bot-hosts', () => {
  it('H8 U2 U4 gives the same pull request through App, Action and command line', async () => {
    const viaEach = await Promise.all([subjects.app, subjects.action, subjects.cli].map(pullRequestIn));

    expect(viaEach[1]).toEqual(viaEach[0]);
    expect(viaEach[2]).toEqual(viaEach[0]);
    const maria = stage.github.state.account('maria').id;
    expect(viaEach[0]).toMatchObject({
      title: 'Add up all units of a duration',
      branch: BRANCH,
      base: 'main',
      draft: false,
      parent: true,
    });
    expect(viaEach[0]?.body).toContain('Fixes #1');
    expect(viaEach[0]?.body).toContain('`npm test`: passed');
    expect(viaEach[0]?.body).toContain('<!-- dsh:session gh-ID-1-1 -->');
    expect(viaEach[0]?.message).toContain(`Co-authored-by: maria <${maria}+maria@users.noreply.github.com>`);
  });

  it('H7 tells the workflow what came out, and exits with 0', () => {
    const [pull] = pullsOf(stage, 'acme/action');

    expect(action.code).toBe(0);
    expect(action.outputs).toMatchObject({
      status: 'completed',
      branch: BRANCH,
      'pull-request-number': '2',
      'pull-request-url': `${stage.github.url}/acme/action/pull/2`,
      'commit-sha': pull?.pull?.head.sha,
      'session-id': `gh-${repositoryOf(stage, 'acme/action').id}-1-1`,
    });
    expect(Number(action.outputs.tokens)).toBeGreaterThan(0);
    expect(action.summary).toContain('[#2]');
    expect(action.summary).toContain('`npm test`: passed');
  });

  it('gives one JSON document on stdout, lines for people on stderr, and exits with 0', () => {
    expect(cli.code).toBe(0);
    expect(cli.json).toMatchObject({
      status: 'done',
      exitCode: 0,
      result: [{ status: 'completed', produced: { kind: 'pull-request', number: 2, branch: BRANCH, draft: false } }],
      problem: null,
    });
    expect(cli.stderr).toContain('bash: See the tests fail');
  });
});

describe('bot-human-loop', () => {
  it.each([
    ['app', 'dsh[bot]'],
    ['action', 'github-actions[bot]'],
  ] as const)(
    'P1 P2 P5 the %s reacts with eyes, keeps one comment that becomes the result, and ends with a rocket',
    (host, login) => {
      const { repo, number } = subjects[host];
      const [command, ...others] = issueOf(stage, subjects[host]).comments;
      const writes = stage.github.requests.filter(
        ({ method, path }) => method !== 'GET' && path.startsWith(`/repos/${repo}/`),
      );
      const reaction = (content: string) =>
        writes.findIndex(
          ({ body, path }) => path.endsWith('/reactions') && (body as { content?: string }).content === content,
        );
      const comment = writes.findIndex(
        ({ method, path }) => method === 'POST' && path === `/repos/${repo}/issues/${number}/comments`,
      );

      expect(reaction('eyes')).toBe(0);
      expect(comment).toBe(1);
      expect(reaction('rocket')).toBeGreaterThan(comment);
      expect(command && reactionsOn(command)).toEqual([`${login} rocket`]);
      expect(others).toHaveLength(1);
      const body = others[0]?.body ?? '';
      expect(body).toContain(jobMarker(`gh-${repositoryOf(stage, repo).id}-1-1`, `comment-${command?.id}`));
      expect(body).toContain('**Done**');
      expect(body).toContain(`${stage.github.url}/${repo}/pull/2`);
      expect(body).toContain('`npm test`: passed');
    },
  );

  it('P3 the comment says before the end who asked for what, and what is being done', () => {
    const first = stage.github.requests.find(
      ({ method, path }) => method === 'POST' && path === '/repos/acme/app/issues/1/comments',
    );
    const { body } = first?.body as { body: string };

    expect(body).toContain('**Working on it**');
    expect(body).toMatch(/\[asked\]\(\S+#issuecomment-\d+\) by maria/);
  });

  it('the command line writes no comment and no reaction', () => {
    const { comments, reactions } = issueOf(stage, subjects.cli);

    expect(comments).toEqual([]);
    expect(reactions).toEqual([]);
    expect(botComments(stage, { repo: 'acme/cli', number: 2 })).toEqual([]);
  });

  it('the app has nothing to tell its operator', () => {
    expect(app.log).toBe('');
    expect(app.handled.map(({ status }) => status)).toEqual(['completed']);
  });
});

describe('bot-fix', () => {
  it.each(['app', 'action', 'cli'] as const)(
    'U1 the commit of the %s holds what was changed and nothing else',
    async (host) => {
      const { repo } = subjects[host];

      expect(await branchesOf(stage, repo)).toEqual([BRANCH, 'main']);
      const changed = await gitOf(stage, repo, 'diff', '--name-only', 'main', BRANCH);
      expect(changed.split('\n')).toEqual(['src/parse-duration.js', 'test/parse-duration.test.js']);
      expect(await gitOf(stage, repo, 'show', `${BRANCH}:src/parse-duration.js`)).toContain(
        'total += Number(amount) * UNITS[unit];',
      );
    },
  );

  it.each([
    ['app', true],
    ['action', true],
    ['cli', false],
  ] as const)('U1 GitHub marks the commit of the %s verified: %s', (host, isVerified) => {
    const { repo } = subjects[host];
    const head = pullsOf(stage, repo)[0]?.pull?.head.sha ?? '';

    expect(repositoryOf(stage, repo).verified.has(head)).toBe(isVerified);
  });
});
