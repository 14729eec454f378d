import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { createGitHub, type GitHub } from '../../src/github/client.ts';
import { findReferences } from '../../src/github/linked-items.ts';
import { readThread } from '../../src/github/threads.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';
import { scriptedFetch } from './support/scripted-fetch.ts';

let demo: DemoGitHub;
let github: GitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start();
  demo.server.addCollaborator('acme/shop', 'ada', { role: 'write', association: 'MEMBER' });
  github = demo.connect();
});
afterEach(() => demo.close());

describe('bot-fix', () => {
  it('F1 reads an issue with its comments in order, who wrote them, and what they name', async () => {
    const other = await demo.server.openIssue('acme/shop', { by: 'ada', title: 'the older one' });
    const fields = { title: 'broken', body: `like #${other.number}`, labels: ['bug'] };
    const { number } = await demo.server.openIssue('acme/shop', { by: 'stranger', ...fields });
    await demo.server.comment('acme/shop', number, { by: 'ada', body: 'first, and #999' });
    await demo.server.comment('acme/shop', number, { by: 'stranger', body: 'second' });

    const thread = await readThread(github, REPO, number);

    expect(thread).toMatchObject({
      kind: 'issue',
      title: 'broken',
      body: `like #${other.number}`,
      author: { login: 'stranger', association: 'NONE', isBot: false },
      labels: ['bug'],
    });
    expect(thread.comments.map(({ author, body }) => [author.login, author.association, body])).toEqual([
      ['ada', 'MEMBER', 'first, and #999'],
      ['stranger', 'NONE', 'second'],
    ]);
    expect(thread.linked).toMatchObject([
      { number: other.number, kind: 'issue', title: 'the older one', state: 'open' },
    ]);
  });

  it('F1 reads what was said in reviews of a pull request, with its place', async () => {
    await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files: { 'README.md': 'new\n' } });
    const { number } = await demo.server.openPull('acme/shop', { by: 'ada', title: 'f', head: 'f', base: 'main' });
    await demo.server.comment('acme/shop', number, { by: 'ada', body: 'please look' });
    const comments = [{ path: 'README.md', line: 1, side: 'RIGHT' as const, body: 'why?' }];
    await demo.server.review('acme/shop', number, { by: 'bob', event: 'COMMENT', body: 'some remarks', comments });
    await demo.server.review('acme/shop', number, { by: 'carol', event: 'APPROVE' });

    const { kind, comments: said } = await readThread(github, REPO, number);

    expect(kind).toBe('pull');
    expect(said.map(({ place, body }) => [place, body])).toEqual(
      expect.arrayContaining([
        ['issue', 'please look'],
        ['review', 'some remarks'],
        ['review-comment', 'why?'],
      ]),
    );
    expect(said).toHaveLength(3);
    expect(said.find(({ place }) => place === 'review-comment')).toMatchObject({
      path: 'README.md',
      line: 1,
      side: 'RIGHT',
      diffHunk: expect.stringContaining('@@'),
    });
  });

  it('F1 reads all pages', async () => {
    const { number } = await demo.server.openIssue('acme/shop', { by: 'ada', title: 'long' });
    for (let count = 0; count < 120; count++)
      await demo.server.comment('acme/shop', number, { by: 'ada', body: `${count}` });

    const { comments } = await readThread(github, REPO, number);

    expect(comments.map(({ body }) => body)).toEqual(Array.from({ length: 120 }, (_, count) => String(count)));
  });

  test.each([
    ['fixes #12 and #12', [12]],
    ['see https://github.com/acme/shop/issues/7#issuecomment-1', [7]],
    ['see https://github.com/acme/shop/pull/8/files', [8]],
    ['other/repo#3', ['other/repo#3']],
    ['a#1 &#39; x/y/z#4 color:#fff #0x', []],
    ['(#5), #1', [5]],
  ])('F1 finds what %j names', (text, expected) => {
    const found = findReferences(text, { ...REPO, number: 1 });

    const brief = found.map(({ owner, repo, number }) => (owner === 'acme' ? number : `${owner}/${repo}#${number}`));
    expect(brief).toEqual(expected);
  });
});

describe('bot-triggers', () => {
  it('T11 reads a thread of deleted people and null bodies', async () => {
    const issue = { user: null, body: null, title: 't', state: 'open', labels: [], created_at: 'x', html_url: 'u' };
    const { fetch } = scriptedFetch({ body: issue }, { body: [{ id: 1, user: null, created_at: 'x', html_url: 'u' }] });

    const thread = await readThread(createGitHub({ auth: 't', fetch }), REPO, 1);

    expect(thread.author.login).toBe('ghost');
    expect(thread.comments).toMatchObject([{ author: { login: 'ghost' }, body: '' }]);
  });
});
