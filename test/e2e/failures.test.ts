import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { refuses } from '../../src/demo/model/reply.ts';
import type { Script } from '../../src/demo/model/reply.ts';
import { startEngineRelay } from './support/engine-relay.ts';
import { containersOf, killContainersOf } from './support/leftovers.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { botComments, branchesOf, issueOf, pullsOf, reactionsOn, repositoryOf } from './support/look.ts';
import { runDsh } from './support/run-dsh.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage, Subject, Variables } from './support/stage.ts';

/** What goes wrong around a turn, on each host: told where people look, with the right exit code, nothing half published. */
let stage: Stage;
let subject: Subject;
let turn = 0;

beforeAll(async () => {
  stage = await openStage();
});

beforeEach(async () => {
  subject = await stage.addIssue(`broken-${turn++}`, SMALL_FILES, SMALL_ISSUE);
  stage.play([MEND, submit()]);
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const ask = () => stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' });
const commentEvent = () => ({ repo: subject.repo, name: 'issue_comment', action: 'created', by: 'maria' });

interface Told {
  readonly message: RegExp;
  readonly hint: RegExp;
}

/** The one comment of the job says what and how to mend it; the command has `confused`; nothing was published. */
async function expectToldOnIssue({ message, hint }: Told, login: string): Promise<void> {
  const [comment, ...more] = botComments(stage, subject);
  expect(more).toEqual([]);
  expect(comment?.body).toContain('**That did not work**');
  expect(comment?.body).toMatch(message);
  expect(comment?.body).toMatch(hint);
  expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual([`${login} confused`]);
  await expectNothingPublished();
}

async function expectNothingPublished(): Promise<void> {
  expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
  expect(pullsOf(stage, subject.repo)).toEqual([]);
}

async function tellsEverywhere(
  told: Told,
  codes: { cli: number },
  changed: { app: Variables; action: Variables; cli: Variables },
) {
  const before = stage.model.requests.length;
  const app = await viaApp(stage, ask, changed.app);
  expect(app.handled.map(({ status }) => status)).toEqual(['failed']);
  await expectToldOnIssue(told, 'dsh[bot]');

  subject = await stage.addIssue(`broken-${turn++}`, SMALL_FILES, SMALL_ISSUE);
  await ask();
  const action = await viaAction(stage, commentEvent(), changed.action);
  expect([action.code, action.outputs.status]).toEqual([1, 'failed']);
  expect(action.stdout).toMatch(/^::error::/m);
  for (const place of [action.stdout, action.summary]) {
    expect(place).toMatch(told.message);
    expect(place).toMatch(told.hint);
  }
  await expectToldOnIssue(told, 'github-actions[bot]');

  subject = await stage.addIssue(`broken-${turn++}`, SMALL_FILES, SMALL_ISSUE);
  const cli = await viaCli(stage, ['fix', subject.url], changed.cli);
  expect(cli.code).toBe(codes.cli);
  expect(cli.stderr).toMatch(told.message);
  expect(cli.stderr).toMatch(told.hint);
  expect(cli.stderr).not.toMatch(/^\s+at /m);
  await expectNothingPublished();
  return { modelRequests: stage.model.requests.length - before, app, action, cli };
}

describe('bot-hosts', () => {
  it('no such sandbox image: said before any model request, exit code 4', async () => {
    const before = stage.model.requests.length;
    const cli = await viaCli(stage, ['fix', subject.url], { DSH_SANDBOX_IMAGE: 'no-such-image:1' });

    expect(cli.code).toBe(4);
    expect(cli.stderr).toContain('has no image no-such-image:1');
    expect(stage.model.requests.length - before).toBe(0);
  });

  it('no model key: said before any turn, exit code 2', async () => {
    const told = { message: /There is no key for the model deepseek\/deepseek-flash/, hint: /Set DEEPSEEK.API.KEY/ };
    const none = { DEEPSEEK_API_KEY: undefined };

    const { modelRequests } = await tellsEverywhere(
      told,
      { cli: 2 },
      { app: none, action: { 'INPUT_API-KEY': '' }, cli: none },
    );

    expect(modelRequests).toBe(0);
  });

  it('the model provider is down: told with what it said, exit code 1', async () => {
    stage.play(() => refuses(400, 'Model Not Exist'));
    const cli = await viaCli(stage, ['fix', subject.url]);

    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain('The model endpoint refused the request (400)');
    expect(cli.stderr).toContain('Model Not Exist');
    await expectNothingPublished();
  });

  it('an unreachable GitHub: the command line and the Action say so and end with 1, the App server does not start', async () => {
    const { app } = stage.github;
    const closed = { GITHUB_API_URL: 'http://127.0.0.1:1/api/v3' };
    const credentials = { APP_ID: String(app.id), PRIVATE_KEY: app.privateKey, WEBHOOK_SECRET: app.webhookSecret };
    await ask();

    const [cli, action, server] = await Promise.all([
      viaCli(stage, ['fix', subject.url], closed),
      viaAction(stage, commentEvent(), closed),
      runDsh(['serve'], { ...commonVariables(stage), ...credentials, PORT: '0', ...closed }),
    ]);

    expect([cli.code, action.code, server.code]).toEqual([1, 1, 1]);
    for (const text of [cli.stderr, action.stdout, action.summary, server.stderr]) {
      expect(text).toContain('GitHub could not be reached');
      expect(text).toMatch(/Check GITHUB.API.URL/);
    }
    expect(cli.json).toMatchObject({ status: 'failed', problem: { code: 'GITHUB_UNREACHABLE' } });
    expect(action.outputs.status).toBe('failed');
  });
  it('a rejected GitHub token: said with what to check, exit code 1', async () => {
    const cli = await viaCli(stage, ['fix', subject.url], { GITHUB_TOKEN: 'ghp_0000000000000000000000000000000000' });

    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain('GitHub rejected the credentials (401)');
    expect(cli.stderr).toContain('Check GITHUB_TOKEN');
  });

  it.each([
    ['no such address', 'https://example.com/nothing', /is not the address of an issue/],
    ['another server', 'https://example.com/acme/x/issues/1', /is not on http/],
  ])('%s: exit code 2 and how it looks', async (_what, url, message) => {
    const cli = await viaCli(stage, ['fix', url]);

    expect(cli.code).toBe(2);
    expect(cli.stderr).toMatch(message);
  });

  it('an issue that is not there: said, exit code 1', async () => {
    const cli = await viaCli(stage, ['fix', subject.url.replace(/\d+$/, '99')]);

    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain(`${subject.repo}#99`);
  });

  it('an invalid .github/dsh.yml: told with line and nearest key, exit code 2', async () => {
    const file = 'verify:\n  comands: [npm test]\nmodel: 7\n';
    await stage.github.push(subject.repo, { by: 'maria', branch: 'main', files: { '.github/dsh.yml': file } });
    const before = stage.model.requests.length;

    const cli = await viaCli(stage, ['fix', subject.url]);
    await viaApp(stage, ask);

    expect(cli.code).toBe(2);
    const places = [cli.stderr, botComments(stage, subject)[0]?.body ?? ''];
    for (const text of places) {
      expect(text).toMatch(/\.github\/dsh\.yml is not valid/);
      expect(text).toMatch(/line 2: unknown key verify\.comands, did you mean commands\?/);
      expect(text).toMatch(/line 3: model/);
    }
    expect(stage.model.requests.length - before).toBe(0);
    await expectToldOnIssue({ message: /is not valid/, hint: /Correct the file/ }, 'dsh[bot]');
  });
});

describe('bot-hosts', () => {
  it('H10 an automatic review of a fork without a key is no failure: the summary names the way', async () => {
    const fork = await stage.github.addFork(subject.repo, 'tom');
    await stage.github.push(fork, { by: 'tom', branch: 'more', files: { 'more.txt': 'more\n' } });
    await stage.github.openPull(subject.repo, { by: 'tom', title: 'More', head: 'tom:more', base: 'main' });
    const opened = { repo: subject.repo, name: 'pull_request', action: 'opened', by: 'tom' };

    const run = await viaAction(stage, opened, { 'INPUT_API-KEY': '' });

    expect([run.code, run.outputs.status]).toEqual([0, 'ignored']);
    expect(run.summary).toContain('pull_request_target');
  });

  it('an interrupted command line ends with 130, publishes nothing and leaves no container', async () => {
    const stopping = new AbortController();
    stage.play(stopsAtSecondRequest(stopping));

    const cli = await viaCli(stage, ['fix', subject.url], {}, { signal: stopping.signal, by: 'SIGINT' });

    expect(cli.code).toBe(130);
    expect(cli.stderr).toContain('The job was interrupted.');
    expect(await containersOf(stage.root)).toEqual([]);
    await expectNothingPublished();
  });

  it('H9 a cancelled Action says so in its comment and its outputs, and ends with 0', async () => {
    const stopping = new AbortController();
    await ask();
    stage.play(stopsAtSecondRequest(stopping));

    const run = await viaAction(stage, commentEvent(), {}, { signal: stopping.signal, by: 'SIGINT' });

    expect([run.code, run.outputs.status]).toEqual([0, 'stopped']);
    expect(botComments(stage, subject)[0]?.body).toContain('**Stopped**');
    expect(botComments(stage, subject)[0]?.body).toContain('The job was interrupted.');
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['github-actions[bot] confused']);
    expect(await containersOf(stage.root)).toEqual([]);
    await expectNothingPublished();
  });
});

describe('sandbox', () => {
  it('a container that dies under a turn is replaced, and the change is still there', async () => {
    stage.play(async (_request, index) => {
      if (index === 1) await killContainersOf(stage.root);
      return [MEND, run('cat greet.txt'), submit()][index] ?? submit();
    });

    const cli = await viaCli(stage, ['fix', subject.url]);

    expect(cli.code).toBe(0);
    expect(pullsOf(stage, subject.repo)[0]?.body).toContain('`sh check.sh`: passed');
  });

  it('an engine that dies under a turn: the job fails and says so, nothing is published, exit code 4', async () => {
    const relay = await startEngineRelay(`${stage.root}/engine.sock`);
    stage.play(async (_request, index) => {
      if (index === 1) relay.stop();
      return [MEND, run('cat greet.txt'), submit()][index] ?? submit();
    });

    const cli = await viaCli(stage, ['fix', subject.url], { DOCKER_HOST: relay.host });

    expect(cli.stderr).toContain('No Docker engine answers');
    expect(cli.stderr).toContain('Start the Docker engine');
    expect(cli.code).toBe(4);
    await expectNothingPublished();
  });
});

/** The first request changes a file; at the second one whoever runs dsh stops it. */
function stopsAtSecondRequest(stopping: AbortController): Script {
  return async (_request, index) => {
    if (index === 0) return MEND;
    stopping.abort();
    await sleep(2_000);
    return submit();
  };
}

describe('bot-fix', () => {
  it('C5 an empty repository: said, no model request', async () => {
    await stage.github.addRepository({ owner: 'acme', name: 'empty' });
    stage.github.addCollaborator('acme/empty', 'maria', 'write');
    const { number } = await stage.github.openIssue('acme/empty', { by: 'tom', ...SMALL_ISSUE });
    const before = stage.model.requests.length;

    const comment = () => stage.github.comment('acme/empty', number, { by: 'maria', body: '/dsh fix' });
    await viaApp(stage, comment);

    const [told] = botComments(stage, { repo: 'acme/empty', number });
    expect(told?.body).toContain('acme/empty has no commit yet.');
    expect(told?.body).toContain('Push a first commit');
    expect(stage.model.requests.length - before).toBe(0);
  });

  it('C5 a deleted default branch: said, no model request', async () => {
    await stage.github.push(subject.repo, { by: 'maria', branch: 'other', files: { 'a.txt': 'a\n' } });
    await stage.github.deleteBranch(subject.repo, 'main', { by: 'maria' });
    const before = stage.model.requests.length;

    const cli = await viaCli(stage, ['fix', subject.url]);
    await viaApp(stage, ask);

    expect(cli.code).toBe(1);
    expect(botComments(stage, subject)).toHaveLength(1);
    for (const text of [cli.stderr, botComments(stage, subject)[0]?.body]) {
      expect(text).toContain('has no branch `main`');
      expect(text).toContain('Push that branch');
    }
    expect(stage.model.requests.length - before).toBe(0);
  });

  it('an archived repository: said in the terminal and to the operator, no model request', async () => {
    repositoryOf(stage, subject.repo).archived = true;
    const before = stage.model.requests.length;

    const cli = await viaCli(stage, ['fix', subject.url]);
    const app = await viaApp(stage, ask);

    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain(`${subject.repo} is archived`);
    expect(app.log).toContain('archived');
    expect(stage.model.requests.length - before).toBe(0);
    await expectNothingPublished();
  });

  it('a failed job keeps its log, which the session list shows', async () => {
    await viaCli(stage, ['fix', subject.url], { DEEPSEEK_API_KEY: 'sk-wrong-key-9876543210abcdef' });

    const list = await viaCli(stage, ['sessions', 'list']);
    const id = `gh-${repositoryOf(stage, subject.repo).id}-1-1`;
    expect((list.json as { result: { id: string }[] }).result.map((header) => header.id)).toContain(id);
    const stored = await viaCli(stage, ['sessions', 'show', id]);
    expect(stored.stderr).toContain('Ended: error in step 1');
    expect(await readFile(`${stage.root}/run/output`, 'utf8')).toBeDefined();
  });
});

describe('bot-security', () => {
  it('X2 no Docker engine: said before any model request, exit code 4', async () => {
    const told = { message: /No Docker engine answers/, hint: /Start the Docker engine, or set DOCKER.HOST/ };
    const dead = { DOCKER_HOST: `unix://${stage.root}/nobody.sock` };

    const { modelRequests } = await tellsEverywhere(told, { cli: 4 }, { app: dead, action: dead, cli: dead });

    expect(modelRequests).toBe(0);
  });
});

describe('bot-human-loop', () => {
  it('P8 a wrong model key: named as rejected on every host, and shown on none', async () => {
    const key = 'sk-wrong-key-9876543210abcdef';
    const told = { message: /The model key was rejected \(401\)/, hint: /DEEPSEEK.API.KEY/ };
    const wrong = { DEEPSEEK_API_KEY: key };

    const runs = await tellsEverywhere(told, { cli: 1 }, { app: wrong, action: { 'INPUT_API-KEY': key }, cli: wrong });

    const said = JSON.stringify([runs, stage.github.requests.map(({ body }) => body), botComments(stage, subject)]);
    // The runner is told to mask it, which is the one line that must hold it.
    expect(said.replace(`::add-mask::${key}`, '')).not.toContain(key);
  });
});
