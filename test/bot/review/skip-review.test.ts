import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { skipReview } from '../../../src/bot/review/skip-review.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { createPermissionLookup } from '../../../src/github/permissions.ts';
import { causeMarker, PART_MARKER, reviewMarker } from '../../../src/publish/markers.ts';
import { openCheckProgress } from '../../../src/publish/review/review-check.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { PullReading } from '../../../src/triggers/automatic-review.ts';
import { DemoGitHub, REPO } from '../../github/support/demo-github.ts';

const SESSION = 'gh-1-1-1';
let demo: DemoGitHub;
let store: ReturnType<typeof openMemoryStore>;
const now = () => new Date();
beforeEach(async () => {
  demo = await DemoGitHub.start();
  demo.server.addCollaborator('acme/shop', 'ada', 'write');
  store = openMemoryStore(now);
});
afterEach(async () => {
  await demo.close();
  await store.close();
});

async function opened(by: string, branch: string): Promise<{ number: number; headSha: string }> {
  const headSha = await demo.server.push('acme/shop', { by, branch, from: 'main', files: { [`${branch}.js`]: 'x\n' } });
  const { number } = await demo.server.openPull('acme/shop', { by, title: branch, head: branch, base: 'main' });
  return { number, headSha };
}

function skip({ number, headSha }: { number: number; headSha: string }, by: string, action = 'opened') {
  const github = demo.connect();
  const access = { github, repo: REPO, ownLogin: 'dsh[bot]', permissionOf: createPermissionLookup(github) };
  const author = { id: demo.server.state.account(by).id, login: by, association: 'NONE' };
  const reading = {
    kind: 'pull-request',
    action,
    headSha,
    author,
    repo: { id: 7 },
    subject: { kind: 'pull', number },
    cause: `head-${headSha}`,
  };
  const { spending } = store.records;
  const parts = {
    access: access as never,
    session: SESSION,
    spending,
    now,
    log: () => {},
    signal: new AbortController().signal,
  };
  return skipReview(reading as unknown as PullReading, parts);
}

const review = (number: number, headSha: string, by = 'dsh[bot]', session = SESSION) =>
  demo.server.review('acme/shop', number, {
    by,
    event: 'COMMENT',
    body: `Fine.\n${reviewMarker(session, headSha)}\n${causeMarker(`head-${headSha}`)}`,
  });
const checks = (headSha: string) =>
  demo.server.state.findRepository('acme/shop')!.checkRuns.filter(({ suite }) => suite.headSha === headSha);

describe('bot-review', () => {
  it('R6 a head that we reviewed is not reviewed again, and a check that was left open by a crash is ended', async () => {
    const pull = await opened('ada', 'f');
    expect(await skip(pull, 'ada')).toBeUndefined();
    const place = { github: demo.connect(), repo: REPO, headSha: pull.headSha, ownLogin: 'dsh[bot]' };
    await openCheckProgress(place, { session: SESSION, cause: `head-${pull.headSha}` });
    await review(pull.number, pull.headSha);

    expect(await skip(pull, 'ada')).toBe('already-reviewed');
    expect(checks(pull.headSha)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }]);
    expect(await skip(pull, 'ada', 'review_requested')).toBeUndefined();
  });

  it('R6 H3 a head that another bot of ours reviewed is not reviewed again; what a person pastes counts for nothing', async () => {
    const pull = await opened('ada', 'f');
    await review(pull.number, pull.headSha, 'tom');
    expect(await skip(pull, 'ada')).toBeUndefined();

    const actions = createGitHub({
      auth: demo.server.createToken({ actions: 'acme/shop' }),
      apiUrl: demo.server.apiUrl,
    });
    await actions.rest.pulls.createReview({
      ...REPO,
      pull_number: pull.number,
      event: 'COMMENT',
      body: reviewMarker('gh-other', pull.headSha),
    });
    expect(await skip(pull, 'ada')).toBe('already-reviewed');
  });

  it('R13 an older head is superseded', async () => {
    const pull = await opened('ada', 'f');
    await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files: { 'more.js': 'y\n' } });

    expect(await skip(pull, 'ada')).toBe('superseded');
  });

  it('R13 the check of a review that a crash cut off is ended once a newer head is reviewed in its place', async () => {
    const pull = await opened('ada', 'f');
    const place = { github: demo.connect(), repo: REPO, headSha: pull.headSha, ownLogin: 'dsh[bot]' };
    await openCheckProgress(place, { session: SESSION, cause: `head-${pull.headSha}` });
    await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files: { 'more.js': 'y\n' } });

    await skip(pull, 'ada');

    expect(checks(pull.headSha)).toMatchObject([{ conclusion: 'neutral', output: { title: 'Superseded' } }]);
  });

  it('R6 a review of only the paths that were asked for is none of the head', async () => {
    const pull = await opened('ada', 'f');
    const body = `Fine.\n${reviewMarker(SESSION, pull.headSha)}\n${PART_MARKER}`;
    await demo.server.review('acme/shop', pull.number, { by: 'dsh[bot]', event: 'COMMENT', body });

    expect(await skip(pull, 'ada')).toBeUndefined();
  });
});

describe('bot-security', () => {
  it('X12 four pull requests of a stranger at the same moment have three reviews at most', async () => {
    const pulls = [];
    for (const branch of ['a', 'b', 'c', 'd']) pulls.push(await opened('tom', branch));

    const answers = await Promise.all(pulls.map((pull) => skip(pull, 'tom')));

    expect(answers.filter((why) => why === undefined).length).toBeLessThanOrEqual(3);
    expect(answers.filter((why) => why !== undefined).every((why) => why === 'daily-limit')).toBe(true);
  });

  it('X12 a host that keeps nothing counts on GitHub; who may write is not counted', async () => {
    for (const branch of ['a', 'b', 'c']) {
      const pull = await opened('tom', branch);
      await review(pull.number, pull.headSha);
    }

    expect(await skip(await opened('tom', 'd'), 'tom')).toBe('daily-limit');
    expect(await skip(await opened('ada', 'e'), 'ada')).toBeUndefined();
    expect(checks((await opened('ada', 'g')).headSha)).toEqual([]);
  });

  it('X12 an event that is handled again after a crash counts once', async () => {
    const first = await opened('tom', 'a');
    for (let attempt = 0; attempt < 5; attempt++) expect(await skip(first, 'tom')).toBeUndefined();
    for (const branch of ['b', 'c']) expect(await skip(await opened('tom', branch), 'tom')).toBeUndefined();

    const limited = await opened('tom', 'd');
    for (let attempt = 0; attempt < 3; attempt++) expect(await skip(limited, 'tom')).toBe('daily-limit');
  });

  it('X12 another day is another three', async () => {
    for (const branch of ['a', 'b', 'c']) expect(await skip(await opened('tom', branch), 'tom')).toBeUndefined();
    expect(await skip(await opened('tom', 'd'), 'tom')).toBe('daily-limit');
    const { spending } = store.records;

    const tomorrow = Date.now() + 86_400_000;
    expect(await spending.spent(`reviews:7:${demo.server.state.account('tom').id}`, tomorrow)).toBe(0);
  });
});
