import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { octokitOf, refused } from './clients.ts';

const repo = { owner: 'acme', repo: 'shop' };

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;
  let issue: number;

  beforeAll(async () => {
    github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { a: '1\n' } });
    issue = (await github.openIssue('acme/shop', { by: 'alice', title: 'T' })).number;
    app = octokitOf(github, github.createToken({ installation: 'acme' }));
  });
  afterEach(() => github.faults.clear());
  afterAll(() => github.close());

  const comment = (body: string) => app.rest.issues.createComment({ ...repo, issue_number: issue, body });
  const bodies = async () =>
    (await app.rest.issues.listComments({ ...repo, issue_number: issue, per_page: 100 })).data.map(({ body }) => body);

  it('fails once where told to, then works', async () => {
    github.faults.inject({ match: { method: 'POST', path: /\/comments$/ }, status: 502 });

    expect((await refused(comment('lost'))).status).toBe(502);
    await comment('kept');

    expect(await bodies()).not.toContain('lost');
    expect(await bodies()).toContain('kept');
  });

  it('answers with a failure although the work was done', async () => {
    github.faults.inject({ match: { method: 'POST' }, status: 502, applied: true });

    expect((await refused(comment('done all the same'))).status).toBe(502);

    expect((await bodies()).filter((body) => body === 'done all the same')).toHaveLength(1);
  });

  it('loses an answer after the work was done, or the request before it', async () => {
    github.faults.inject({ match: { method: 'POST' }, drop: 'after' });
    await expect(comment('done, unanswered')).rejects.toThrow();
    github.faults.inject({ match: { method: 'POST' }, drop: 'before' });
    await expect(comment('never arrived')).rejects.toThrow();

    expect(await bodies()).toContain('done, unanswered');
    expect(await bodies()).not.toContain('never arrived');
  });

  it('refuses with the secondary limit after so many writes, reads aside, until retry-after is over', async () => {
    github.faults.secondaryLimit({ afterWrites: 2, retryAfterSeconds: 30 });
    await comment('one');
    await bodies();
    await comment('two');

    const error = (await comment('three').catch((reason: unknown) => reason)) as {
      status: number;
      message: string;
      response: { headers: Record<string, string> };
    };
    github.advance(30_000);
    await comment('four');

    expect(error).toMatchObject({
      status: 403,
      message: expect.stringContaining('secondary rate limit'),
      response: { headers: { 'retry-after': '30' } },
    });
    expect((await bodies()).slice(-3)).toEqual(['one', 'two', 'four']);
  });

  it('adds latency to every call', async () => {
    github.faults.latencyMs = 40;
    const started = performance.now();

    await bodies();

    expect(performance.now() - started).toBeGreaterThanOrEqual(38);
  });

  it('says on every answer how much of the hourly limit is left', async () => {
    const { headers } = await app.rest.repos.get(repo);

    expect(headers).toMatchObject({ 'x-ratelimit-limit': '5000', 'x-ratelimit-resource': 'core' });
    expect(Number(headers['x-ratelimit-remaining'])).toBeLessThan(5000);
    expect((await app.rest.rateLimit.get()).data.resources.core.limit).toBe(5000);
  });

  it('logs each call with method, path, body, status and actor, and no credential', async () => {
    await comment('logged');

    const call = github.requests.at(-1)!;
    expect(call).toMatchObject({
      kind: 'rest',
      method: 'POST',
      path: `/repos/acme/shop/issues/${issue}/comments`,
      body: { body: 'logged' },
      status: 201,
      actor: 'dsh[bot]',
    });
    expect(JSON.stringify(github.requests)).not.toContain('ghs_');
  });
});
