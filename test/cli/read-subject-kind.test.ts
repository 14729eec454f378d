import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSubjectKind } from '../../src/cli/read-subject-kind.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { createGitHub } from '../../src/github/client.ts';
import type { GitHub } from '../../src/github/client.ts';

let server: GitHubServer;
let github: GitHub;

beforeAll(async () => {
  server = await startGitHub();
  await server.addRepository({ owner: 'acme', name: 'shop', files: { 'a.txt': 'a\n' } });
  server.addCollaborator('acme/shop', 'maria', 'write');
  await server.openIssue('acme/shop', { by: 'maria', title: 'An issue', body: '' });
  github = createGitHub({ auth: server.createToken('maria'), apiUrl: server.apiUrl });
});
afterAll(() => server.close());

const look = (kind: 'issue' | 'pull', number: number) =>
  readSubjectKind(github, { owner: 'acme', repo: 'shop', subject: { kind, number } }, new AbortController().signal);

describe('bot-hosts', () => {
  it('finds an issue', async () => {
    expect(await look('issue', 1)).toEqual({ kind: 'issue', number: 1 });
  });

  it.each([
    ['issue', 99, 'The issue acme/shop#99 was not found.'],
    ['pull', 99, 'The pull request acme/shop#99 was not found.'],
    ['pull', 1, 'The pull request acme/shop#1 was not found.'],
  ] as const)('says of %s %i that it was not found', async (kind, number, message) => {
    await expect(look(kind, number)).rejects.toMatchObject({ code: 'GITHUB_NOT_FOUND', message });
  });
});
