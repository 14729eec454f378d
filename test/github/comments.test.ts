import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGitHub, type GitHub } from '../../src/github/client.ts';
import { findComment, upsertComment } from '../../src/github/comments.ts';
import { addReaction, removeOwnReaction } from '../../src/github/reactions.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';
import { scriptedFetch } from './support/scripted-fetch.ts';

const marker = '<!-- dsh:job s1 comment-1 -->';
const ownLogin = 'dsh[bot]';

let demo: DemoGitHub;
let github: GitHub;
let number: number;
beforeEach(async () => {
  demo = await DemoGitHub.start();
  demo.server.addCollaborator('acme/shop', 'ada', 'write');
  github = demo.connect();
  ({ number } = await demo.server.openIssue('acme/shop', { by: 'ada', title: 'broken' }));
});
afterEach(() => demo.close());

async function bodies(): Promise<string[]> {
  const { data } = await github.rest.issues.listComments({ ...REPO, issue_number: number });
  return data.map(({ body }) => body ?? '');
}

describe('bot-fix', () => {
  it('U6 makes one comment, changes it, and leaves it when nothing changed', async () => {
    const made = await upsertComment(github, REPO, number, { marker, ownLogin, body: `working ${marker}` });
    const changed = await upsertComment(github, REPO, number, { marker, ownLogin, body: `done ${marker}` });
    const sent = demo.record();
    await upsertComment(github, REPO, number, { marker, ownLogin, body: `done ${marker}` });

    expect(changed.id).toBe(made.id);
    expect(await bodies()).toEqual([`done ${marker}`]);
    expect(sent().filter((line) => /^(POST|PATCH)/.test(line))).toEqual([]);
  });

  it('U6 finds the comment again when the answer to its creation was lost', async () => {
    demo.server.faults.inject({ match: { method: 'POST', path: /comments$/ }, drop: 'after' });

    const { id } = await upsertComment(github, REPO, number, { marker, ownLogin, body: `working ${marker}` });

    expect(await bodies()).toEqual([`working ${marker}`]);
    expect((await findComment(github, REPO, number, { marker, ownLogin }))!.id).toBe(id);
  });

  it('U6 creates the comment after all when the first try came to nothing', async () => {
    demo.server.faults.inject({ match: { method: 'POST', path: /comments$/ }, drop: 'before' });

    await upsertComment(github, REPO, number, { marker, ownLogin, body: `working ${marker}` });

    expect(await bodies()).toEqual([`working ${marker}`]);
  });

  it('U6 makes the comment anew when somebody deleted it', async () => {
    const { id } = await upsertComment(github, REPO, number, { marker, ownLogin, body: `working ${marker}` });
    await demo.server.deleteComment('acme/shop', id, { by: 'ada' });

    await upsertComment(github, REPO, number, { marker, ownLogin, id, body: `done ${marker}` });

    expect(await bodies()).toEqual([`done ${marker}`]);
  });

  it('U6 believes a marker only in what we wrote', async () => {
    await demo.server.comment('acme/shop', number, { by: 'ada', body: `look: ${marker}` });

    expect(await findComment(github, REPO, number, { marker, ownLogin })).toBeUndefined();
  });

  it('U6 finds the comment beyond the first page', async () => {
    for (let count = 0; count < 101; count++) await demo.server.comment('acme/shop', number, { by: 'ada', body: 'x' });
    const { id } = await upsertComment(github, REPO, number, { marker, ownLogin, body: marker });

    expect((await findComment(github, REPO, number, { marker, ownLogin }))!.id).toBe(id);
  });

  it('U6 reacts once, and takes back only our own reaction', async () => {
    const { id } = await demo.server.comment('acme/shop', number, { by: 'ada', body: '/dsh fix' });
    const target = { kind: 'issue-comment', id } as const;
    await demo.server.react('acme/shop', { comment: id }, { by: 'ada', content: 'eyes' });
    const reactions = async () =>
      (await github.rest.reactions.listForIssueComment({ ...REPO, comment_id: id })).data.map(
        ({ user }) => user?.login,
      );

    await addReaction(github, REPO, target, 'eyes');
    await addReaction(github, REPO, target, 'eyes');
    expect(await reactions()).toEqual(['ada', ownLogin]);

    await removeOwnReaction(github, REPO, target, 'eyes', ownLogin);
    await removeOwnReaction(github, REPO, target, 'eyes', ownLogin);
    expect(await reactions()).toEqual(['ada']);
  });

  it('U6 reacts to issues and to review comments', async () => {
    await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files: { 'README.md': 'new\n' } });
    const pull = await demo.server.openPull('acme/shop', { by: 'ada', title: 'f', head: 'f', base: 'main' });
    const wish = { path: 'README.md', line: 1, side: 'RIGHT' as const, body: 'hm' };
    const found = await demo.server.commentOnLine('acme/shop', pull.number, { by: 'ada', ...wish });
    const { data: inline } = await github.rest.pulls.listReviewComments({ ...REPO, pull_number: pull.number });
    const id = inline[0]!.id;
    expect(found).toBeDefined();

    await addReaction(github, REPO, { kind: 'issue', number }, 'rocket');
    await addReaction(github, REPO, { kind: 'review-comment', id }, 'confused');

    const onIssue = await github.rest.reactions.listForIssue({ ...REPO, issue_number: number });
    const onComment = await github.rest.reactions.listForPullRequestReviewComment({ ...REPO, comment_id: id });
    expect(onIssue.data.map(({ content }) => content)).toEqual(['rocket']);
    expect(onComment.data.map(({ content }) => content)).toEqual(['confused']);
  });

  it('U6 reacts to a review by its GraphQL id, since REST has no such reaction', async () => {
    const { fetch, sent } = scriptedFetch({ body: { data: { addReaction: { clientMutationId: null } } } });
    const target = { kind: 'review', nodeId: 'PRR_1' } as const;

    await addReaction(createGitHub({ auth: 't', fetch }), REPO, target, 'eyes');
    await removeOwnReaction(createGitHub({ auth: 't', fetch }), REPO, target, '-1', ownLogin);

    expect(sent.map(({ body }) => body)).toMatchObject([
      { query: expect.stringContaining('addReaction'), variables: { subjectId: 'PRR_1', content: 'EYES' } },
      { query: expect.stringContaining('removeReaction'), variables: { subjectId: 'PRR_1', content: 'THUMBS_DOWN' } },
    ]);
  });
});
