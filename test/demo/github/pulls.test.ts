import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, cloneUrl, git, octokitOf, refused } from './clients.ts';

const validate = openapiValidator({ responses: true });

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;
  let repo: { owner: string; repo: string };
  let name: string;
  let count = 0;

  beforeAll(async () => {
    github = await startGitHub({ validate });
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    repo = { owner: 'acme', repo: `shop-${++count}` };
    name = `acme/${repo.repo}`;
    await github.addRepository({
      owner: 'acme',
      name: repo.repo,
      files: {
        'a.ts': lines(1, 40),
        'gone.ts': 'gone\n',
        become: 'text\n',
        'move.ts': lines(1, 9),
        'logo.png': Buffer.from([0, 1, 2]),
      },
    });
    app = appOctokit(github, 'acme');
  });

  it('opens a pull request and shows its size, ends and mergeability', async () => {
    const sha = await github.push(name, { by: 'acme', branch: 'topic', files: { 'a.ts': `${lines(1, 40)}more\n` } });

    const { data } = await app.rest.pulls.create({
      ...repo,
      title: 'More',
      head: 'topic',
      base: 'main',
      body: 'Fixes #1',
      draft: true,
    });

    expect(data).toMatchObject({
      state: 'open',
      draft: true,
      merged: false,
      mergeable: true,
      commits: 1,
      additions: 1,
      deletions: 0,
      changed_files: 1,
    });
    expect(data).toMatchObject({
      user: { login: 'dsh[bot]' },
      head: { ref: 'topic', sha, label: 'acme:topic' },
      base: { ref: 'main' },
    });
    const byHead = (head: string) => app.rest.pulls.list({ ...repo, head });
    expect((await byHead('acme:topic')).data).toHaveLength(1);
    expect((await byHead('acme:other')).data).toEqual([]);
    expect((await app.rest.issues.get({ ...repo, issue_number: data.number })).data.pull_request).toBeDefined();
  });

  it.each([
    ['a head that is not there', { head: 'nowhere', base: 'main' }, { errors: [{ field: 'head', code: 'invalid' }] }],
    ['a base that is not there', { head: 'topic', base: 'nowhere' }, { errors: [{ field: 'base', code: 'invalid' }] }],
    ['nothing to merge', { head: 'same', base: 'main' }, { errors: [{ message: 'No commits between main and same' }] }],
    [
      'a second one for the same branches',
      { head: 'taken', base: 'main' },
      { errors: [{ message: 'A pull request already exists for acme:taken.' }] },
    ],
    [
      'too long a body',
      { head: 'topic', base: 'main', body: 'x'.repeat(65_537) },
      { errors: [{ message: 'body is too long (maximum is 65536 characters)' }] },
    ],
  ])('refuses a pull request with %s', async (_, fields, body) => {
    await github.push(name, { by: 'acme', branch: 'topic', files: { new: 'x' } });
    await github.push(name, { by: 'acme', branch: 'taken', files: { new: 'x' } });
    await app.rest.git.createRef({
      ...repo,
      ref: 'refs/heads/same',
      sha: (await app.rest.git.getRef({ ...repo, ref: 'heads/main' })).data.object.sha,
    });
    await github.openPull(name, { by: 'acme', title: 'Taken', head: 'taken', base: 'main' });

    const answer = await refused(app.rest.pulls.create({ ...repo, title: 'T', ...fields }));

    expect(answer).toMatchObject({ status: 422, message: 'Validation Failed', ...body });
  });

  it("gives each file's patch byte for byte as git does, with renames, deletions, modes, links and binaries", async () => {
    await github.push(name, {
      by: 'acme',
      branch: 'topic',
      files: {
        'a.ts': lines(1, 40).replace('line 3\n', 'line three\n').replace('line 30\n', ''),
        'gone.ts': null,
        'move.ts': null,
        'moved to/é.ts': lines(1, 9),
        'logo.png': Buffer.from([3, 0, 1]),
        link: { mode: '120000', content: 'a.ts' },
        'no newline': 'x',
        become: { mode: '120000', content: 'a.ts' },
        'diff --git a.ts': '--- a\n+++ b\n@@ -1 +1 @@\n',
        empty: '',
      },
    });
    const { number } = await github.openPull(name, { by: 'acme', title: 'Many', head: 'topic', base: 'main' });

    const { data: files } = await app.rest.pulls.listFiles({ ...repo, pull_number: number });

    const folder = await mkdtemp(join(tmpdir(), 'demo-github-test-'));
    await git(folder, 'clone', '-q', '--bare', cloneUrl(github, name), '.');
    for (const { filename, patch, previous_filename: previous, sha, status } of files.filter(
      (file) => file.status !== 'changed',
    )) {
      const text = await git(folder, 'diff', '-M', 'main...topic', '--', filename, ...(previous ? [previous] : []));
      const hunks = text.indexOf('\n@@ ') < 0 ? undefined : text.slice(text.indexOf('\n@@ ') + 1);
      expect([filename, patch]).toEqual([filename, hunks]);
      if (status !== 'removed') expect(await git(folder, 'rev-parse', `topic:${filename}`)).toBe(sha);
    }
    await rm(folder, { recursive: true });
    expect(
      Object.fromEntries(
        files.map(({ filename, status, additions, deletions }) => [filename, [status, additions, deletions]]),
      ),
    ).toEqual({
      'a.ts': ['modified', 1, 2],
      become: ['changed', 1, 1],
      'diff --git a.ts': ['added', 3, 0],
      empty: ['added', 0, 0],
      'gone.ts': ['removed', 0, 1],
      link: ['added', 1, 0],
      'logo.png': ['modified', 0, 0],
      'moved to/é.ts': ['renamed', 0, 0],
      'no newline': ['added', 1, 0],
    });
    expect(files.find(({ filename }) => filename === 'become')!.patch).toBe(
      '@@ -1 +0,0 @@\n-text\n@@ -0,0 +1 @@\n+a.ts\n\\ No newline at end of file',
    );
    expect(files.find(({ filename }) => filename === 'moved to/é.ts')).toMatchObject({ previous_filename: 'move.ts' });
  });

  it('pages the files, and refuses the diff media type beyond 300 files', async () => {
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`many/${at}`, `${at}\n`]));
    await github.push(name, { by: 'acme', branch: 'topic', files: many });
    const { number } = await github.openPull(name, { by: 'acme', title: 'Many', head: 'topic', base: 'main' });

    const files = await app.paginate(app.rest.pulls.listFiles, { ...repo, pull_number: number, per_page: 100 });
    const diff = await refused(app.rest.pulls.get({ ...repo, pull_number: number, mediaType: { format: 'diff' } }));

    expect(files).toHaveLength(301);
    expect(diff).toMatchObject({
      status: 406,
      errors: [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }],
    });
    expect(diff.message).toContain('exceeded the maximum number of files (300)');
  });

  it('refuses the diff media type beyond 20,000 lines, and leaves out such a patch', async () => {
    await github.push(name, { by: 'acme', branch: 'topic', files: { huge: lines(1, 20_001), small: 'x\n' } });
    const { number } = await github.openPull(name, { by: 'acme', title: 'Huge', head: 'topic', base: 'main' });

    const diff = await refused(app.rest.pulls.get({ ...repo, pull_number: number, mediaType: { format: 'diff' } }));
    const { data: files } = await app.rest.pulls.listFiles({ ...repo, pull_number: number });

    expect(diff).toMatchObject({ status: 406, message: expect.stringContaining('maximum number of lines (20000)') });
    expect(files.map(({ filename, patch }) => [filename, patch])).toEqual([
      ['huge', undefined],
      ['small', '@@ -0,0 +1 @@\n+x'],
    ]);
  });

  it('gives the three-dot diff as text, whatever the base did since', async () => {
    await github.push(name, { by: 'acme', branch: 'topic', files: { 'a.ts': `${lines(1, 40)}more\n` } });
    await github.push(name, { by: 'acme', branch: 'main', files: { 'gone.ts': 'changed on main\n' } });
    const { number } = await github.openPull(name, { by: 'acme', title: 'Small', head: 'topic', base: 'main' });

    const { data } = await app.rest.pulls.get({ ...repo, pull_number: number, mediaType: { format: 'diff' } });

    expect(String(data)).toMatch(/^diff --git a\/a.ts b\/a.ts\nindex [\s\S]*\n\+more\n$/);
    expect(String(data)).not.toContain('gone.ts');
  });

  it('follows pushes, is merged by one that reaches the base, and is closed when its branch goes', async () => {
    await github.push(name, { by: 'acme', branch: 'one', files: { one: '1\n' } });
    await github.push(name, { by: 'acme', branch: 'two', files: { two: '2\n' } });
    const { number: one } = await github.openPull(name, { by: 'acme', title: 'One', head: 'one', base: 'main' });
    const { number: two } = await github.openPull(name, { by: 'acme', title: 'Two', head: 'two', base: 'main' });

    const head = await github.push(name, { by: 'acme', branch: 'one', files: { one: '11\n' } });
    const merge = await github.mergePull(name, one, { by: 'acme' });
    await github.deleteBranch(name, 'two', { by: 'acme' });

    const { data: merged } = await app.rest.pulls.get({ ...repo, pull_number: one });
    expect(merged).toMatchObject({
      state: 'closed',
      merged: true,
      merge_commit_sha: merge,
      head: { sha: head },
      merged_by: { login: 'acme' },
    });
    expect((await app.rest.pulls.get({ ...repo, pull_number: two })).data).toMatchObject({
      state: 'closed',
      merged: false,
    });
    expect((await app.rest.repos.getContent({ ...repo, path: 'one' })).data).toMatchObject({ size: 3 });
  });

  it('tells a conflict', async () => {
    await github.push(name, { by: 'acme', branch: 'topic', files: { 'gone.ts': 'mine\n' } });
    const { number } = await github.openPull(name, { by: 'acme', title: 'Clash', head: 'topic', base: 'main' });
    await github.push(name, { by: 'acme', branch: 'main', files: { 'gone.ts': 'theirs\n' } });

    expect((await app.rest.pulls.get({ ...repo, pull_number: number })).data).toMatchObject({
      mergeable: false,
      mergeable_state: 'dirty',
    });
  });

  it('changes title, base and state, and asks for reviews', async () => {
    await github.push(name, { by: 'acme', branch: 'release', files: { r: '1\n' } });
    await github.push(name, { by: 'acme', branch: 'topic', files: { t: '1\n' } });
    const { number } = await github.openPull(name, { by: 'acme', title: 'T', head: 'topic', base: 'main' });

    await app.rest.pulls.update({ ...repo, pull_number: number, title: 'Better', base: 'release', state: 'closed' });
    await app.rest.pulls.requestReviewers({ ...repo, pull_number: number, reviewers: ['wendy'] });

    const { data } = await octokitOf(github).rest.pulls.get({ ...repo, pull_number: number });
    expect(data).toMatchObject({
      title: 'Better',
      base: { ref: 'release' },
      state: 'closed',
      requested_reviewers: [{ login: 'wendy' }],
    });
    expect((await app.rest.pulls.listCommits({ ...repo, pull_number: number })).data).toHaveLength(1);
  });
});

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');
}
