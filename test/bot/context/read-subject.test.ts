import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSubject } from '../../../src/bot/context/read-subject.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { upsertComment } from '../../../src/github/comments.ts';

const REPO = { owner: 'acme', repo: 'shop' };

describe('bot-fix', () => {
  let server: GitHubServer;
  beforeAll(async () => {
    server = await startGitHub();
    await server.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
  });
  afterAll(() => server.close());

  it('F1 the thread holds what people said, our answers too, but not how our jobs went', async () => {
    const github = createGitHub({ auth: server.createToken({ installation: 'acme' }), apiUrl: server.apiUrl });
    const ownLogin = server.app.botLogin;
    const { number } = await server.openIssue('acme/shop', { by: 'tom', title: 'T', body: 'B' });
    for (const marker of ['<!-- dsh:job s c -->', '<!-- dsh:reply c -->', '<!-- dsh:answer -->']) {
      await upsertComment(github, REPO, number, { marker, ownLogin, body: `${marker} ours` });
    }
    await server.comment('acme/shop', number, { by: 'tom', body: '<!-- dsh:job s c --> pasted by tom' });

    const access = { github, repo: REPO, ownLogin };
    const { thread } = await readSubject(access, { kind: 'issue', number }, new AbortController().signal);

    expect(thread.comments.map(({ body }) => body)).toEqual([
      '<!-- dsh:answer --> ours',
      '<!-- dsh:job s c --> pasted by tom',
    ]);
  });
});
