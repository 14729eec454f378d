import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, octokitOf, refused } from './clients.ts';

const validate = openapiValidator({ responses: true });
const numbered = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;
  let pull: { owner: string; repo: string; pull_number: number };
  let name: string;
  let count = 0;

  beforeAll(async () => {
    github = await startGitHub({ validate });
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    const repo = `shop-${++count}`;
    name = `acme/${repo}`;
    await github.addRepository({ owner: 'acme', name: repo, files: { 'a.ts': text(numbered) } });
    await github.push(name, {
      by: 'acme',
      branch: 'topic',
      files: { 'a.ts': text(numbered.with(9, 'ten').toSpliced(49, 1)) },
    });
    const { number } = await github.openPull(name, { by: 'acme', title: 'T', head: 'topic', base: 'main' });
    app = appOctokit(github, 'acme');
    pull = { owner: 'acme', repo, pull_number: number };
  });

  it('makes one review with comments on added, removed and context lines and on ranges', async () => {
    const { data: review } = await app.rest.pulls.createReview({
      ...pull,
      event: 'COMMENT',
      body: 'Summary',
      comments: [
        { path: 'a.ts', line: 10, side: 'RIGHT', body: 'added' },
        { path: 'a.ts', line: 50, side: 'LEFT', body: 'removed' },
        { path: 'a.ts', start_line: 8, start_side: 'RIGHT', line: 12, side: 'RIGHT', body: 'range' },
      ],
    });

    expect(review).toMatchObject({ state: 'COMMENTED', body: 'Summary', user: { login: 'dsh[bot]' } });
    const { data: comments } = await app.rest.pulls.listReviewComments(pull);
    expect(comments).toMatchObject([
      { line: 10, side: 'RIGHT', start_line: null, pull_request_review_id: review.id, body: 'added' },
      { line: 50, side: 'LEFT', body: 'removed' },
      { line: 12, start_line: 8, start_side: 'RIGHT', body: 'range' },
    ]);
    expect(comments[0]!.diff_hunk).toBe('@@ -7,7 +7,7 @@ line 6\n line 7\n line 8\n line 9\n-line 10\n+ten');
    expect((await app.rest.pulls.listReviews(pull)).data).toHaveLength(1);
    expect((await app.rest.pulls.listCommentsForReview({ ...pull, review_id: review.id })).data).toHaveLength(3);
  });

  it.each([
    ['a line outside every hunk', { line: 30 }, 'Line could not be resolved'],
    ['a removed line on the right', { line: 60 }, 'Line could not be resolved'],
    ['a file not in the pull request', { path: 'b.ts', line: 1 }, 'Path could not be resolved'],
    [
      'a start in another hunk',
      { start_line: 10, start_side: 'RIGHT' as const, line: 50 },
      'Start line must be part of the same hunk as the line.',
    ],
    [
      'a start on the line itself',
      { start_line: 10, start_side: 'RIGHT' as const, line: 10 },
      'Start line must precede the end line.',
    ],
  ])('refuses a whole review for one comment on %s', async (_, place, message) => {
    const good = { path: 'a.ts', line: 10, body: 'good' };

    const answer = await refused(
      app.rest.pulls.createReview({
        ...pull,
        event: 'COMMENT',
        body: 'x',
        comments: [good, { path: 'a.ts', body: 'bad', ...place }],
      }),
    );

    expect(answer).toMatchObject({ status: 422, message: 'Unprocessable Entity', errors: [message] });
    expect((await app.rest.pulls.listReviews(pull)).data).toEqual([]);
    expect((await app.rest.pulls.listReviewComments(pull)).data).toEqual([]);
  });

  it('refuses to approve one’s own pull request, an empty review, and a commit from elsewhere', async () => {
    const author = octokitOf(github, github.createToken('acme'));
    const main = (await app.rest.git.getRef({ owner: pull.owner, repo: pull.repo, ref: 'heads/main' })).data.object.sha;

    expect((await refused(author.rest.pulls.createReview({ ...pull, event: 'APPROVE' }))).errors).toEqual([
      'Can not approve your own pull request',
    ]);
    expect((await refused(app.rest.pulls.createReview({ ...pull, event: 'COMMENT' }))).status).toBe(422);
    expect(
      (await refused(app.rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'x', commit_id: main }))).status,
    ).toBe(422);
  });

  it('keeps a pending review to its author until it is submitted', async () => {
    const { data: pending } = await app.rest.pulls.createReview({ ...pull, body: 'later' });
    const stranger = octokitOf(github, github.createToken('olga'));

    expect(pending.state).toBe('PENDING');
    expect((await stranger.rest.pulls.listReviews(pull)).data).toEqual([]);
    expect((await refused(app.rest.pulls.createReview({ ...pull, body: 'again' }))).errors).toEqual([
      'User can only have one pending review per pull request',
    ]);
    await app.rest.pulls.submitReview({ ...pull, review_id: pending.id, event: 'REQUEST_CHANGES' });
    expect((await stranger.rest.pulls.listReviews(pull)).data).toMatchObject([{ state: 'CHANGES_REQUESTED' }]);
  });

  it('puts a comment of its own into a review, and replies into its thread', async () => {
    const { commit_id, ...first } = (
      await app.rest.pulls.createReviewComment({
        ...pull,
        commit_id: await headSha(),
        path: 'a.ts',
        line: 10,
        body: 'why?',
      })
    ).data;
    const { comment: answer } = await github.replyInThread(name, first.id, { by: 'acme', body: 'because' });
    const { data: reply } = await app.rest.pulls.createReplyForReviewComment({
      ...pull,
      comment_id: first.id,
      body: 'I see',
    });

    expect(commit_id).toBe(await headSha());
    expect(reply).toMatchObject({ in_reply_to_id: first.id, path: 'a.ts', line: 10 });
    expect((await app.rest.pulls.listReviewComments(pull)).data.map(({ id }) => id)).toEqual([
      first.id,
      answer.id,
      reply.id,
    ]);
    const wrong = await refused(
      app.rest.pulls.createReviewComment({ ...pull, commit_id: await headSha(), path: 'a.ts', line: 30, body: 'x' }),
    );
    expect(wrong).toMatchObject({
      status: 422,
      errors: [{ field: 'pull_request_review_thread.line', code: 'custom' }],
    });
    const reaction = await app.rest.reactions.createForPullRequestReviewComment({
      owner: pull.owner,
      repo: pull.repo,
      comment_id: answer.id,
      content: '+1',
    });
    expect(reaction.status).toBe(201);
  });

  it('lets a comment follow its line, and makes it outdated when the line changes', async () => {
    await app.rest.pulls.createReview({
      ...pull,
      event: 'COMMENT',
      comments: [
        { path: 'a.ts', line: 10, body: 'x' },
        { path: 'a.ts', line: 48, body: 'y' },
      ],
    });
    const topic = numbered.with(9, 'ten').toSpliced(49, 1);

    await github.push(name, {
      by: 'acme',
      branch: 'topic',
      files: { 'a.ts': text(['new 1', 'new 2', ...topic.with(47, 'other')]) },
    });

    const { data } = await app.rest.pulls.listReviewComments(pull);
    expect(data.map(({ line, original_line }) => [line, original_line])).toEqual([
      [12, 10],
      [null, 48],
    ]);
    expect(data[0]!.commit_id).toBe(await headSha());
  });

  it('lists review threads over GraphQL and resolves one', async () => {
    await app.rest.pulls.createReview({
      ...pull,
      event: 'COMMENT',
      comments: [
        { path: 'a.ts', line: 10, body: 'x' },
        { path: 'a.ts', line: 12, body: 'y' },
      ],
    });
    const query = `query ($owner: String!, $repo: String!, $pull_number: Int!, $cursor: String) {
      repository(owner: $owner, name: $repo) { pullRequest(number: $pull_number) { reviewThreads(first: 1, after: $cursor) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated path line comments(first: 1) { nodes { databaseId body author { login } } } }
      } } } }`;
    type Threads = {
      pageInfo: { hasNextPage: boolean; endCursor: string };
      nodes: { id: string; isResolved: boolean; line: number; comments: { nodes: { author: { login: string } }[] } }[];
    };
    const list = async (cursor?: string): Promise<Threads> => {
      const { repository } = await app.graphql<{ repository: { pullRequest: { reviewThreads: Threads } } }>(query, {
        ...pull,
        cursor,
      });
      return repository.pullRequest.reviewThreads;
    };

    const first = await list();
    const second = await list(first.pageInfo.endCursor);
    const mutation =
      'mutation ($threadId: ID!) { resolveReviewThread(input: { threadId: $threadId }) { thread { id isResolved } } }';
    const answer = await app.graphql(mutation, { threadId: second.nodes[0]!.id });

    expect(first).toMatchObject({
      pageInfo: { hasNextPage: true },
      nodes: [{ line: 10, isResolved: false, comments: { nodes: [{ author: { login: 'dsh' } }] } }],
    });
    expect(second.pageInfo.hasNextPage).toBe(false);
    expect(answer).toEqual({ resolveReviewThread: { thread: { id: second.nodes[0]!.id, isResolved: true } } });
    expect((await list(first.pageInfo.endCursor)).nodes[0]!.isResolved).toBe(true);
    await expect(app.graphql(mutation, { threadId: 'nothing' })).rejects.toThrow('Could not resolve to a node');
  });

  it('reacts to a review over GraphQL, and names a field it does not have', async () => {
    const { data: review } = await app.rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'x' });
    const change = (mutation: string) =>
      app.graphql(
        `mutation ($id: ID!) { ${mutation}(input: { subjectId: $id, content: EYES }) { clientMutationId } }`,
        { id: review.node_id },
      );
    const reactions = () =>
      github.state
        .findRepository(name)!
        .issues.get(pull.pull_number)!
        .pull!.reviews[0]!.reactions.map(({ content, user }) => [content, user.login]);

    await change('addReaction');
    await change('addReaction');
    expect(reactions()).toEqual([['eyes', 'dsh[bot]']]);
    await change('removeReaction');
    expect(reactions()).toEqual([]);
    await expect(app.graphql('{ viewer { login shoeSize } }')).rejects.toThrow("Field 'shoeSize' doesn't exist");
    expect(github.requests.filter(({ kind }) => kind === 'graphql').at(-1)).toMatchObject({
      path: '/graphql',
      status: 200,
    });
  });

  const headSha = async () => (await app.rest.pulls.get(pull)).data.head.sha;
});
