import { describe, expect, it, test } from '@jest/globals';
import { createGitHub, type GitHubOptions } from '../../src/github/client.ts';
import type { RecordedWrite } from '../../src/github/dry-run.ts';
import { costOf } from '../../src/github/pace-requests.ts';
import type { RequestOptions } from '../../src/github/request-hook.ts';
import { RequestPacer } from '../../src/github/request-pacer.ts';
import { renewingTokens } from '../../src/github/token-provider.ts';
import { FakeClock } from './support/fake-clock.ts';
import { scriptedFetch, type Answer, type SentRequest } from './support/scripted-fetch.ts';

const repo = { owner: 'acme', repo: 'shop' };
const dropped = new TypeError('fetch failed');

function connect(answers: Parameters<typeof scriptedFetch>, options: Partial<GitHubOptions> = {}) {
  const clock = new FakeClock();
  const { fetch, sent } = scriptedFetch(...answers);
  return { github: createGitHub({ auth: 'token-1', fetch, clock, ...options }), sent, clock };
}

const secondary: Answer = {
  status: 403,
  headers: { 'retry-after': '30' },
  body: { message: 'You have exceeded a secondary rate limit.' },
};

describe('bot-fix', () => {
  it('U7 tries a read again after 5xx and after a dropped connection', async () => {
    const { github, sent, clock } = connect([{ status: 502 }, dropped, { body: { id: 7 } }]);

    const { data } = await github.rest.repos.get(repo);

    expect(data.id).toBe(7);
    expect(sent).toHaveLength(3);
    expect(clock.slept).toEqual([500, 1000]);
  });

  it('U7 gives a read up after four tries', async () => {
    const { github, sent } = connect([{ status: 503 }]);

    await expect(github.rest.repos.get(repo)).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(4);
  });

  test.each([
    ['a 5xx', { status: 502 }],
    ['a dropped connection', dropped],
  ])('U7 never repeats a POST blindly after %s', async (_, failure) => {
    const { github, sent } = connect([failure, { status: 201 }]);

    const creating = github.rest.issues.createComment({ ...repo, issue_number: 1, body: 'hello' });

    await expect(creating).rejects.toMatchObject({ status: expect.any(Number) });
    expect(sent).toHaveLength(1);
  });

  it('U7 repeats a POST that can only make the same object', async () => {
    const { github, sent } = connect([dropped, { status: 201, body: { sha: 'a' } }]);

    await github.rest.git.createBlob({ ...repo, content: 'x', request: { repeatable: true } });

    expect(sent).toHaveLength(2);
  });

  it('U7 waits as long as retry-after says under a secondary limit, then sends even a POST again', async () => {
    const { github, sent, clock } = connect([secondary, { status: 201 }]);

    await github.rest.issues.createComment({ ...repo, issue_number: 1, body: 'hello' });

    expect(sent).toHaveLength(2);
    expect(clock.slept).toEqual([30_000]);
  });

  it('U7 honours retry-after of a 429 that does not say secondary', async () => {
    const { github, clock } = connect([
      { status: 429, headers: { 'retry-after': '7' }, body: { message: 'slow' } },
      {},
    ]);

    await github.rest.repos.get(repo);

    expect(clock.slept).toEqual([7_000]);
  });

  it('U7 waits for the reset of the primary limit', async () => {
    const clock = new FakeClock();
    const reset = String(clock.now().getTime() / 1000 + 120);
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    const { fetch } = scriptedFetch({ status: 403, headers, body: { message: 'API rate limit exceeded' } }, {});

    await createGitHub({ auth: 't', fetch, clock }).rest.repos.get(repo);

    expect(clock.slept).toEqual([121_000]);
  });

  it('U7 holds the whole account back under a secondary limit', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer(clock);
    pacer.holdUntil(clock.now().getTime() + 30_000);
    const { fetch } = scriptedFetch({});

    await createGitHub({ auth: 't', fetch, clock, pacer }).rest.repos.get(repo);

    expect(clock.slept).toEqual([30_000]);
  });

  it('U7 takes a plain 403 for the answer it is', async () => {
    const { github, sent } = connect([{ status: 403, body: { message: 'Resource not accessible by integration' } }]);

    await expect(github.rest.repos.get(repo)).rejects.toMatchObject({ status: 403 });
    expect(sent).toHaveLength(1);
  });

  it('U7 keeps to 900 points a minute, a write costing five', async () => {
    const { github, clock } = connect([{ status: 201, body: { sha: 'a' } }]);
    const blob = () => github.rest.git.createBlob({ ...repo, content: 'x' });

    await Promise.all(Array.from({ length: 180 }, blob));
    expect(clock.slept).toEqual([]);
    await blob();
    expect(clock.slept).toEqual([60_000]);
  });

  it('U7 keeps to 80 content writes a minute and 500 an hour, edits of comments included', async () => {
    const { github, clock, sent } = connect([{}]);
    const start = clock.now().getTime();
    const times: number[] = [];

    for (let count = 0; count < 501; count++) {
      await github.rest.issues.updateComment({ ...repo, comment_id: 1, body: String(count) });
      times.push(clock.now().getTime() - start);
    }

    expect(sent).toHaveLength(501);
    expect(times[79]).toBe(0);
    expect(times[80]).toBe(60_000);
    expect(times[500]).toBeGreaterThanOrEqual(3_600_000);
  });

  test.each([
    ['GET', '/repos/{owner}/{repo}/issues', { points: 1, content: false }],
    ['POST', '/repos/{owner}/{repo}/issues/{issue_number}/comments', { points: 5, content: true }],
    ['PATCH', '/repos/{owner}/{repo}/issues/comments/{comment_id}', { points: 5, content: true }],
    ['DELETE', '/repos/{owner}/{repo}/issues/comments/{comment_id}', { points: 5, content: false }],
    ['POST', '/repos/{owner}/{repo}/pulls', { points: 5, content: true }],
    ['POST', '/repos/{owner}/{repo}/pulls/{pull_number}/reviews', { points: 5, content: true }],
    ['POST', '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', { points: 5, content: false }],
    ['POST', '/repos/{owner}/{repo}/git/blobs', { points: 5, content: false }],
    ['PATCH', '/repos/{owner}/{repo}/git/refs/{ref}', { points: 5, content: false }],
  ])('U7 counts %s %s', (method, url, cost) => {
    expect(costOf({ method, url } as RequestOptions)).toEqual(cost);
  });

  it('U7 has at most 20 requests on the way at a time', async () => {
    const pacer = new RequestPacer(new FakeClock());
    let [running, most] = [0, 0];
    const send = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    };

    await Promise.all(Array.from({ length: 100 }, () => pacer.run({ points: 1, content: false }, send)));

    expect(most).toBe(20);
  });

  it('U7 reads again with the ETag, and takes 304 for the answer it had', async () => {
    const pages = { etag: '"one"', link: '<https://api.github.com/x?page=2>; rel="next"' };
    const { github, sent } = connect([{ headers: pages, body: [{ id: 1 }] }, { status: 304 }, { body: [] }]);

    const first = await github.rest.issues.listForRepo(repo);
    first.data.length = 0;
    const second = await github.rest.issues.listForRepo(repo);
    await github.rest.issues.listForRepo({ ...repo, page: 2 });

    expect(second.data).toEqual([{ id: 1 }]);
    expect(second.headers.link).toBe(pages.link);
    expect(sent.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"', undefined]);
  });

  it('U7 sends no write in a dry run, and tells each one', async () => {
    const writes: RecordedWrite[] = [];
    const { github, sent } = connect([{ body: { id: 1, full_name: 'acme/shop' } }], {
      dryRun: (write) => writes.push(write),
    });

    await github.rest.repos.get(repo);
    const comment = await github.rest.issues.createComment({ ...repo, issue_number: 3, body: 'hello' });
    const ref = await github.rest.git.createRef({ ...repo, ref: 'refs/heads/x', sha: 'b'.repeat(40) });
    await github.graphql('mutation { resolveReviewThread(input: { threadId: "T" }) { clientMutationId } }');

    expect(sent.map(({ method }) => method)).toEqual(['GET']);
    expect(writes).toMatchObject([
      { method: 'POST', url: 'https://api.github.com/repos/acme/shop/issues/3/comments', body: { body: 'hello' } },
      { method: 'POST', url: 'https://api.github.com/repos/acme/shop/git/refs', body: { ref: 'refs/heads/x' } },
      { method: 'POST', url: 'https://api.github.com/graphql' },
    ]);
    expect(comment.data).toMatchObject({ id: expect.any(Number), body: 'hello', html_url: expect.any(String) });
    expect(ref.data.object.sha).toBe('b'.repeat(40));
  });

  it('U7 asks GraphQL queries in a dry run', async () => {
    const { github, sent } = connect([{ body: { data: { viewer: { login: 'dsh' } } } }], { dryRun: () => {} });

    expect(await github.graphql('query { viewer { login } }')).toEqual({ viewer: { login: 'dsh' } });
    expect(sent).toHaveLength(1);
  });

  it('U7 gives up waiting when the work is given up', async () => {
    const { fetch } = scriptedFetch(secondary);
    const github = createGitHub({ auth: 't', fetch });
    const started = Date.now();

    const asking = github.rest.repos.get({ ...repo, request: { signal: AbortSignal.timeout(100) } });

    await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it('C2 renews an installation token with less than five minutes left, and mints once for many', async () => {
    const clock = new FakeClock();
    let minted = 0;
    const tokens = renewingTokens(
      async () => {
        await Promise.resolve();
        return { token: `t${++minted}`, expiresAt: new Date(clock.now().getTime() + 3_600_000) };
      },
      () => clock.now(),
    );

    expect(await Promise.all([tokens(), tokens(), tokens()])).toEqual(['t1', 't1', 't1']);
    clock.advance(55 * 60_000);
    expect(await tokens()).toBe('t1');
    clock.advance(1);
    expect(await tokens()).toBe('t2');
    expect(await tokens({ fresh: true })).toBe('t3');
  });
});

describe('cases', () => {
  it('J1 puts a fresh token on a request that waited longer than the last one lived', async () => {
    const clock = new FakeClock();
    let minted = 0;
    const auth = async () => `token-${++minted}`;
    const { fetch, sent } = scriptedFetch(secondary, {});

    await createGitHub({ auth, fetch, clock }).rest.repos.get(repo);

    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['token token-1', 'token token-2']);
  });

  it('J1 asks for another token once after a 401, and repeats even a write', async () => {
    const tokens = ['old', 'new'];
    const expired = ({ headers }: SentRequest): Answer => ({
      status: headers.authorization === 'token old' ? 401 : 201,
    });
    const { fetch, sent } = scriptedFetch(expired);
    const github = createGitHub({ auth: async () => tokens.shift()!, fetch });

    const { status } = await github.rest.issues.createComment({ ...repo, issue_number: 1, body: 'x' });

    expect(status).toBe(201);
    expect(sent).toHaveLength(2);
  });

  it('J1 does not storm with a fixed token that died', async () => {
    const { github, sent } = connect([{ status: 401, body: { message: 'Bad credentials' } }]);

    await expect(github.rest.repos.get(repo)).rejects.toMatchObject({ status: 401 });
    expect(sent).toHaveLength(1);
  });
});
