import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import type { ChatRequest } from '../../src/demo/model/chat-request.ts';
import type { Reply, Script } from '../../src/demo/model/reply.ts';
import { causeMarker, reviewMarker } from '../../src/publish/markers.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { botComments, gitOf, issueOf, reactionsOn, repositoryOf } from './support/look.ts';
import { SMALL_FILES, run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const FINDING = {
  ...{ path: 'more.txt', side: 'RIGHT', startLine: 1, endLine: 1, severity: 'major', confidence: 0.8 },
  ...{
    title: 'A slip',
    body: 'It says helo.',
    scenario: 'A reader sees "helo".',
    evidence: 'traced',
    proof: 'more.txt:1',
  },
};
const REVIEW: readonly Reply[] = [
  calls('report_finding', FINDING),
  says('There is a slip.'),
  calls('structured_output', { verdict: 'confirmed', reason: 'It is there.', proof: 'more.txt:1' }),
];

/** A pull request of `by`, reviewed because it was opened. */
async function reviewed(name: string, by = 'maria', variables = {}) {
  const repo = await stage.addRepository(name, SMALL_FILES);
  await stage.github.push(repo, { by, branch: 'more', files: { 'more.txt': 'helo again\n' } });
  stage.play(REVIEW);
  const opened = { by, title: 'More greetings', head: 'more', base: 'main' };
  const { log } = await viaApp(stage, () => stage.github.openPull(repo, opened), variables);
  const { pull } = issueOf(stage, { repo, number: 1 });
  return { repo, pull: pull!, log, subject: { repo, number: 1 } };
}

const checksOf = (repo: string, sha: string) =>
  repositoryOf(stage, repo).checkRuns.filter(({ suite }) => suite.headSha === sha);

describe('bot-review', () => {
  it('R11 a question in a review thread is answered in that thread, with the thread before the request', async () => {
    const { repo, pull, subject } = await reviewed('asked');
    const [thread] = pull.threads;
    stage.play([says('Because of more.txt:1.')]);
    const before = stage.model.requests.length;

    await viaApp(stage, () =>
      stage.github.replyInThread(repo, thread!.comments[0]!.id, { by: 'maria', body: '/dsh ask why is that wrong?' }),
    );

    expect(thread!.comments.map(({ author }) => author.login)).toEqual(['dsh[bot]', 'maria', 'dsh[bot]']);
    expect(thread!.comments[2]!.body).toContain('Because of more.txt:1.');
    expect(botComments(stage, subject)).toEqual([]);
    expect(reactionsOn(thread!.comments[1]!)).toEqual(['dsh[bot] rocket']);
    const asked = JSON.stringify(stage.model.requests[before]);
    expect(asked.indexOf('**major: A slip**')).toBeGreaterThan(0);
    expect(asked.indexOf('**major: A slip**')).toBeLessThan(asked.lastIndexOf('why is that wrong?'));
  });

  it('R11 R9 /dsh fix in a thread commits, resolves the thread, and the new head has its check at once', async () => {
    const { repo, pull } = await reviewed('fixed');
    const [thread] = pull.threads;
    stage.play([run("sed -i 's/helo/hello/' *.txt"), submit()]);

    await viaApp(stage, () =>
      stage.github.replyInThread(repo, thread!.comments[0]!.id, { by: 'maria', body: '/dsh fix this' }),
    );

    const head = await gitOf(stage, repo, 'rev-parse', 'more');
    expect(await gitOf(stage, repo, 'show', 'more:more.txt')).toBe('hello again');
    expect(thread!.resolvedBy?.login).toBe('dsh[bot]');
    expect(thread!.comments.map(({ body }) => body)).toContain(`Fixed by ${head}.`);
    expect(checksOf(repo, head)).toMatchObject([{ name: 'dsh review', status: 'completed', conclusion: 'neutral' }]);
  });

  it('R11 a fix that does not pass leaves the thread open', async () => {
    const { repo, pull } = await reviewed('unfixed');
    const [thread] = pull.threads;
    const failing = run("sed -i 's/again/anew/' more.txt; echo hallo > greet.txt");
    stage.play([failing, submit(), failing, submit({ outcome: 'partial' }), failing, submit({ outcome: 'partial' })]);

    await viaApp(stage, () =>
      stage.github.replyInThread(repo, thread!.comments[0]!.id, { by: 'maria', body: '/dsh fix this' }),
    );

    expect(thread!.resolvedBy).toBeNull();
  });

  it('R9 R10 X4 a stranger’s pull request is reviewed in the untrusted profile: no network, nothing run on its head', async () => {
    const repo = await stage.addRepository('stranger', {
      ...SMALL_FILES,
      '.github/dsh.yml': "setup:\n  commands: ['touch /workspace/RAN']\nnetwork: none\n",
    });
    const fork = await stage.github.addFork(repo, 'tom');
    await stage.github.push(fork, { by: 'tom', branch: 'more', files: { 'more.txt': 'helo again\n' } });
    stage.play([calls('bash', { command: 'touch x; ls -a', description: 'Try to write' }), ...REVIEW]);
    const before = stage.model.requests.length;

    await viaApp(stage, () =>
      stage.github.openPull(repo, { by: 'tom', title: 'More', head: 'tom:more', base: 'main' }),
    );

    const { pull } = issueOf(stage, { repo, number: 1 });
    expect(pull!.reviews).toHaveLength(1);
    expect(checksOf(repo, pull!.head.sha)).toMatchObject([{ conclusion: 'neutral' }]);
    const seen = JSON.stringify(stage.model.requests.slice(before).map((request) => request));
    expect(seen).toMatch(/Read-only file system|cannot touch/);
    expect(seen).not.toContain('RAN\\n');
  });

  it('R9 SARIF is written from a terminal and by the Action, and names the same finding', async () => {
    const repo = await stage.addRepository('sarif', SMALL_FILES);
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': 'helo again\n' } });
    await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    const [one, other] = ['one.sarif', 'other.sarif'].map((name) => join(stage.root, 'run', name)) as [string, string];

    stage.play(REVIEW);
    await viaCli(stage, ['review', `${stage.github.url}/${repo}/pull/1`, '--sarif', one]);
    stage.play(REVIEW);
    const opened = { repo, name: 'pull_request', action: 'opened', by: 'maria' };
    const { outputs } = await viaAction(stage, opened, { 'INPUT_SARIF-FILE': other });

    const [first, second] = await Promise.all(
      [one, other].map(async (file) => JSON.parse(await readFile(file, 'utf8')) as { runs: { results: unknown[] }[] }),
    );
    expect(first!.runs[0]!.results).toMatchObject([{ ruleId: 'dsh/major', level: 'warning' }]);
    expect(second!.runs[0]!.results).toEqual(first!.runs[0]!.results);
    expect(outputs['sarif-file']).toBe(other);
  });
});

describe('bot-hosts', () => {
  it('H10 a token that may only read gives the review in the summary and as SARIF, and fails nothing', async () => {
    const repo = await stage.addRepository('readonly', SMALL_FILES);
    const fork = await stage.github.addFork(repo, 'tom');
    await stage.github.push(fork, { by: 'tom', branch: 'more', files: { 'more.txt': 'helo again\n' } });
    await stage.github.openPull(repo, { by: 'tom', title: 'More', head: 'tom:more', base: 'main' });
    const file = join(stage.root, 'run', 'readonly.sarif');
    stage.play(REVIEW);
    const permissions = { contents: 'read', issues: 'read', pull_requests: 'read', metadata: 'read' } as const;

    const { code, outputs, summary } = await viaAction(
      stage,
      { repo, name: 'pull_request', action: 'opened', by: 'tom' },
      { 'INPUT_GITHUB-TOKEN': stage.github.createToken({ actions: repo, permissions }), 'INPUT_SARIF-FILE': file },
    );

    expect(code).toBe(0);
    expect(outputs).toMatchObject({ status: 'completed', 'sarif-file': file });
    expect(summary).toContain('There is a slip.');
    expect(summary).toContain('| major | more.txt:1 | A slip |');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'dsh/major' }] }],
    });
    expect(issueOf(stage, { repo, number: 1 }).pull!.reviews).toEqual([]);
  });
});

/** Every review of a push finds nothing; which heads were asked about. */
const FINE: Script = (_request: ChatRequest) => says('Fine.');
const EVERY_PUSH = (debounceMs: number) => ({
  ...SMALL_FILES,
  '.github/dsh.yml': `review:\n  auto: every-push\n  debounceMs: ${debounceMs}\n`,
});

describe('bot-review', () => {
  it('R13 E11 J7 of eight pushes in a row the newest head alone is reviewed', async () => {
    const repo = await stage.addRepository('pushes', EVERY_PUSH(3_000));
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': '0\n' } });
    stage.play(FINE);

    await viaApp(stage, async () => {
      await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
      for (let push = 1; push <= 8; push++)
        await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': `${push}\n` } });
      const { pull } = issueOf(stage, { repo, number: 1 });
      const isReviewed = () => pull!.reviews.at(-1)?.commitId === pull!.head.sha;
      for (let waited = 0; !isReviewed() && waited < 25_000; waited += 50) await sleep(50);
    });

    const { pull } = issueOf(stage, { repo, number: 1 });
    const heads = pull!.reviews.map(({ commitId }) => commitId);
    expect(heads.at(-1)).toBe(pull!.head.sha);
    expect(heads.length).toBeLessThanOrEqual(2);
  });

  it('R13 of two pushes in quick succession the Action’s older run ends without a review, and the newer one makes it', async () => {
    const repo = await stage.addRepository('quick', EVERY_PUSH(120_000));
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': '0\n' } });
    await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    const push = (text: string) =>
      stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': text } });
    const event = { repo, name: 'pull_request', by: 'maria' };
    let asked = 0;
    stage.play(async () => {
      asked += 1;
      if (asked === 1) await push('2\n');
      return says('Fine.');
    });

    const older = await viaAction(stage, { ...event, action: 'opened' });
    const newer = await viaAction(stage, { ...event, action: 'synchronize' });

    const { pull } = issueOf(stage, { repo, number: 1 });
    expect([older.outputs['status'], newer.outputs['status']]).toEqual(['completed', 'completed']);
    expect(older.summary).toContain('Superseded: a newer head is reviewed in its place.');
    expect(pull!.reviews.map(({ commitId }) => commitId)).toEqual([pull!.head.sha]);
    expect(asked).toBe(2);
  });

  it('R12 a head that was pushed while the one before was reviewed is reviewed after it', async () => {
    const repo = await stage.addRepository('moved', SMALL_FILES);
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': 'helo again\n' } });
    let pushed = '';
    const script = [...REVIEW, says('Fine now.')];
    let asked = 0;
    stage.play(async () => {
      asked += 1;
      if (asked === 2)
        pushed = await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': 'hello again\n' } });
      return script[asked - 1] ?? says('Fine now.');
    });

    await viaApp(stage, () => stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' }));

    const { pull } = issueOf(stage, { repo, number: 1 });
    expect(pull!.reviews.map(({ commitId }) => commitId).at(-1)).toBe(pushed);
    expect(pull!.reviews).toHaveLength(2);
    expect(pull!.threads).toEqual([]);
  });

  it.each([
    ['while the one before was reviewed', true],
    ['before anybody came to the one before', false],
  ])('R12 R13 T7 a head that a bot pushed %s is reviewed, for its push starts no review', async (_, isMeanwhile) => {
    const repo = await stage.addRepository(`formatted-${isMeanwhile}`, EVERY_PUSH(100));
    const push = (by: string, text: string) =>
      stage.github.push(repo, { by, branch: 'more', files: { 'more.txt': text } });
    await push('maria', 'helo\n');
    let formatted = '';
    const format = async () => (formatted ||= await push('dsh[bot]', 'Helo\n'));
    stage.play(async () => {
      await format();
      return says('Fine.');
    });
    const open = () => stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    if (!isMeanwhile) await open();
    const opened = stage.github.deliveries.findLast(({ event }) => event === 'pull_request')!;
    if (!isMeanwhile) await format();

    await viaApp(stage, async () => void (isMeanwhile ? await open() : stage.github.redeliver(opened)));

    const { pull } = issueOf(stage, { repo, number: 1 });
    expect(pull!.reviews.map(({ commitId }) => commitId).at(-1)).toBe(formatted);
  });

  it.each([
    ['was pushed over before anybody came to it', false],
    ['was reviewed by a process that was lost before it came to the next one', true],
  ])('R12 R13 where the head of the event %s, the head of today is reviewed', async (_, isReviewed) => {
    const repo = await stage.addRepository(`late-${isReviewed}`, SMALL_FILES);
    const head = await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': '1\n' } });
    await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    const opened = stage.github.deliveries.findLast(({ event }) => event === 'pull_request')!;
    const body = `Fine.\n${reviewMarker('gh-1-1-1', head)}\n${causeMarker(`head-${head}`)}`;
    if (isReviewed) await stage.github.review(repo, 1, { by: 'dsh[bot]', event: 'COMMENT', body });
    const pushed = await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': '2\n' } });
    stage.play(FINE);

    await viaApp(stage, async () => stage.github.redeliver(opened));

    const { pull } = issueOf(stage, { repo, number: 1 });
    expect(pull!.reviews.map(({ commitId }) => commitId).slice(isReviewed ? 1 : 0)).toEqual([pushed]);
    expect(checksOf(repo, pushed)).toMatchObject([{ conclusion: 'success' }]);
  });
});

describe('bot-security', () => {
  it('X12 a stranger has three automatic reviews a day; the fourth is said to be limited, and costs nothing', async () => {
    const repo = await stage.addRepository('flood', SMALL_FILES);
    const fork = await stage.github.addFork(repo, 'tom');
    stage.play(FINE);
    for (let nth = 1; nth <= 4; nth++)
      await stage.github.push(fork, { by: 'tom', branch: `more${nth}`, files: { 'more.txt': `${nth}\n` } });
    const before = stage.model.requests.length;

    await viaApp(stage, async () => {
      for (let nth = 1; nth <= 4; nth++)
        await stage.github.openPull(repo, { by: 'tom', title: `More ${nth}`, head: `tom:more${nth}`, base: 'main' });
    });

    const pulls = [1, 2, 3, 4].map((number) => issueOf(stage, { repo, number }).pull!);
    expect(pulls.filter(({ reviews }) => reviews.length === 1)).toHaveLength(3);
    expect(stage.model.requests.length - before).toBe(3);
    const limited = pulls.find(({ reviews }) => reviews.length === 0)!;
    expect(checksOf(repo, limited.head.sha)).toMatchObject([
      { conclusion: 'neutral', output: { title: 'Not reviewed: daily limit' } },
    ]);
  });
});
