import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, octokitOf, refused } from './clients.ts';

const repo = { owner: 'acme', repo: 'shop' };

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;

  beforeAll(async () => {
    github = await startGitHub({ validate: openapiValidator({ responses: true }) });
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': '# Shop\n' } });
    app = appOctokit(github, 'acme');
  });
  afterAll(() => github.close());

  it('keeps an issue that a person opens and the app reads, labels and closes', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Broken', body: 'It breaks' });

    await app.rest.issues.addLabels({ ...repo, issue_number: number, labels: ['dsh'] });
    await app.rest.issues.update({ ...repo, issue_number: number, state: 'closed', state_reason: 'not_planned' });

    const { data } = await app.rest.issues.get({ ...repo, issue_number: number });
    expect(data).toMatchObject({
      title: 'Broken',
      body: 'It breaks',
      state: 'closed',
      state_reason: 'not_planned',
      user: { login: 'alice' },
    });
    expect(data.labels).toMatchObject([{ name: 'dsh' }]);
    expect((await app.rest.issues.listForRepo(repo)).data).toEqual([]);
    expect((await app.rest.issues.listForRepo({ ...repo, state: 'all' })).data).toHaveLength(1);
  });

  it('makes, changes and deletes comments as the bot, and tells since when', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Talk' });
    const { data: first } = await app.rest.issues.createComment({ ...repo, issue_number: number, body: 'one' });
    github.advance(60_000);
    const { data: second } = await app.rest.issues.createComment({ ...repo, issue_number: number, body: 'two' });

    await app.rest.issues.updateComment({ ...repo, comment_id: second.id, body: 'two, better' });

    expect(first).toMatchObject({
      user: { login: 'dsh[bot]', type: 'Bot' },
      performed_via_github_app: { slug: 'dsh' },
    });
    const { data: late } = await app.rest.issues.listComments({
      ...repo,
      issue_number: number,
      since: second.created_at,
    });
    expect(late.map(({ body }) => body)).toEqual(['two, better']);
    await app.rest.issues.deleteComment({ ...repo, comment_id: first.id });
    expect((await refused(app.rest.issues.getComment({ ...repo, comment_id: first.id }))).status).toBe(404);
  });

  it('pages lists with Link headers that Octokit follows', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Long' });
    for (let at = 0; at < 5; at++) await github.comment('acme/shop', number, { by: 'alice', body: `comment ${at}` });

    const all = await app.paginate(app.rest.issues.listComments, { ...repo, issue_number: number, per_page: 2 });

    expect(all.map(({ body }) => body)).toEqual(['comment 0', 'comment 1', 'comment 2', 'comment 3', 'comment 4']);
    const pages = github.requests.filter(
      ({ path, query }) => path.endsWith(`/${number}/comments`) && query.per_page === '2',
    );
    expect(pages).toHaveLength(3);
  });

  it('answers 304 to a conditional read of an unchanged list', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Polled' });
    const { headers } = await app.rest.issues.listComments({ ...repo, issue_number: number });
    const again = () =>
      app.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...repo,
        issue_number: number,
        headers: { 'if-none-match': headers.etag },
      });

    await expect(again()).rejects.toMatchObject({ status: 304 });

    await github.comment('acme/shop', number, { by: 'alice', body: 'news' });
    expect((await again()).status).toBe(200);
  });

  it('reacts once per person and content, and takes back only its own', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Liked' });
    const comment = await github.comment('acme/shop', number, { by: 'alice', body: 'hm' });
    const target = { ...repo, comment_id: comment.id };

    const first = await app.rest.reactions.createForIssueComment({ ...target, content: 'eyes' });
    const second = await app.rest.reactions.createForIssueComment({ ...target, content: 'eyes' });

    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.data.id).toBe(first.data.id);
    const alice = octokitOf(github, github.createToken('alice'));
    expect(
      (await refused(alice.rest.reactions.deleteForIssueComment({ ...target, reaction_id: first.data.id }))).status,
    ).toBe(404);
    await app.rest.reactions.deleteForIssueComment({ ...target, reaction_id: first.data.id });
    expect((await app.rest.reactions.listForIssueComment(target)).data).toEqual([]);
    await app.rest.reactions.createForIssue({ ...repo, issue_number: number, content: 'rocket' });
    expect((await app.rest.reactions.listForIssue({ ...repo, issue_number: number })).data).toMatchObject([
      { content: 'rocket', user: { login: 'dsh[bot]' } },
    ]);
  });

  it.each([
    ['an ordinary body of the full length', 'x'.repeat(65_536), 201],
    ['one character more', 'x'.repeat(65_537), 422],
  ])('takes at most 65,536 characters: %s', async (_, body, status) => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Long text' });

    const answer = await app.rest.issues
      .createComment({ ...repo, issue_number: number, body })
      .catch((error: unknown) => error as { status: number });

    expect(answer.status).toBe(status);
    if (status === 422) expect(JSON.stringify(answer)).toContain('body is too long (maximum is 65536 characters)');
  });

  it('refuses what the OpenAPI description does not know', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Strict' });

    const wrongBody = await refused(
      app.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...repo,
        issue_number: number,
        body: 7 as never,
      }),
    );
    const wrongQuery = await refused(app.request(`GET /repos/acme/shop/issues/${number}/comments?perpage=2`));

    expect(wrongBody.status).toBe(422);
    expect(wrongQuery).toMatchObject({ status: 422, message: expect.stringContaining('perpage') });
  });

  it("lets people change their own comments, writers everyone's, outsiders none", async () => {
    github.addCollaborator('acme/shop', 'wendy', 'write');
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Mine' });
    const { id } = await github.comment('acme/shop', number, { by: 'alice', body: 'mine' });
    const edit = (login: string) =>
      octokitOf(github, github.createToken(login)).rest.issues.updateComment({
        ...repo,
        comment_id: id,
        body: `by ${login}`,
      });

    expect((await refused(edit('olga'))).status).toBe(403);
    await edit('wendy');
    expect((await edit('alice')).data.body).toBe('by alice');
  });
});
