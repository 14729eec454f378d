import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, octokitOf, refused } from './clients.ts';

const validate = openapiValidator({ responses: true });

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;
  let repo: { owner: string; repo: string };
  let count = 0;

  beforeAll(async () => {
    github = await startGitHub({ validate });
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    repo = { owner: 'acme', repo: `shop-${++count}` };
    await github.addRepository({
      owner: 'acme',
      name: repo.repo,
      files: {
        'README.md': '# Shop\n',
        'src/old.ts': 'old\n',
        'src/keep.ts': 'keep\n',
        'bin/run': { mode: '100755', content: '#!/bin/sh\n' },
      },
    });
    app = appOctokit(github, 'acme');
  });

  const head = async (branch = 'main') =>
    (await app.rest.git.getRef({ ...repo, ref: `heads/${branch}` })).data.object.sha;

  it('builds a commit of blobs, inline content, modes, links and deletions on a base tree', async () => {
    const base = await head();
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { data: blob } = await app.rest.git.createBlob({
      ...repo,
      content: bytes.toString('base64'),
      encoding: 'base64',
    });
    const { data: tree } = await app.rest.git.createTree({
      ...repo,
      base_tree: base,
      tree: [
        { path: 'src/new "ü" file.ts', mode: '100644', type: 'blob', content: 'new\n' },
        { path: 'data.bin', mode: '100644', type: 'blob', sha: blob.sha },
        { path: 'bin/tool', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
        { path: 'link', mode: '120000', type: 'blob', content: 'README.md' },
        { path: 'src/old.ts', mode: '100644', type: 'blob', sha: null },
      ],
    });
    const { data: commit } = await app.rest.git.createCommit({
      ...repo,
      message: 'Change',
      tree: tree.sha,
      parents: [base],
    });
    await app.rest.git.createRef({ ...repo, ref: 'refs/heads/topic', sha: commit.sha });

    const { data } = await app.rest.git.getTree({ ...repo, tree_sha: commit.sha, recursive: '1' });
    const files = Object.fromEntries(
      data.tree.filter(({ type }) => type === 'blob').map(({ path, mode }) => [path, mode]),
    );
    expect(files).toEqual({
      'README.md': '100644',
      'bin/run': '100755',
      'bin/tool': '100755',
      'data.bin': '100644',
      link: '120000',
      'src/keep.ts': '100644',
      'src/new "ü" file.ts': '100644',
    });
    const { data: stored } = await app.rest.git.getBlob({ ...repo, file_sha: blob.sha });
    expect(Buffer.from(stored.content, 'base64')).toEqual(bytes);
  });

  it('marks commits Verified only when an app made them without naming an author', async () => {
    const base = await head();
    const tree = (await app.rest.git.getCommit({ ...repo, commit_sha: base })).data.tree.sha;
    const make = (octokit: Octokit, extra = {}) =>
      octokit.rest.git.createCommit({ ...repo, message: 'm', tree, parents: [base], ...extra });
    const actions = octokitOf(github, github.createToken({ actions: `acme/${repo.repo}` }));
    const person = octokitOf(github, github.createToken('acme'));

    const own = (await make(app)).data;
    expect(own).toMatchObject({
      verification: { verified: true, reason: 'valid' },
      author: { name: 'dsh[bot]' },
      committer: { name: 'GitHub' },
    });
    expect(own.author.email).toMatch(/^\d+\+dsh\[bot\]@users\.noreply\./);
    expect((await make(actions)).data.verification.verified).toBe(true);
    expect((await make(app, { author: { name: 'X', email: 'x@example.com' } })).data.verification).toMatchObject({
      verified: false,
      reason: 'unsigned',
    });
    expect((await make(person)).data.verification.verified).toBe(false);
  });

  it('moves refs forward, sideways only by force, and deletes them', async () => {
    const base = await head();
    const sha = await github.push(repo.owner + '/' + repo.repo, { by: 'acme', branch: 'topic', files: { a: '1\n' } });
    const other = await github.push(repo.owner + '/' + repo.repo, {
      by: 'acme',
      branch: 'other',
      files: { b: '1\n' },
      from: 'main',
    });

    await app.rest.git.updateRef({ ...repo, ref: 'heads/main', sha });
    expect(await head()).toBe(sha);
    expect(await refused(app.rest.git.updateRef({ ...repo, ref: 'heads/topic', sha: other }))).toMatchObject({
      status: 422,
      message: 'Update is not a fast forward',
    });
    await app.rest.git.updateRef({ ...repo, ref: 'heads/topic', sha: other, force: true });
    expect(await head('topic')).toBe(other);
    expect((await refused(app.rest.git.createRef({ ...repo, ref: 'refs/heads/topic', sha: base }))).message).toBe(
      'Reference already exists',
    );
    expect((await app.rest.git.listMatchingRefs({ ...repo, ref: 'heads/to' })).data.map(({ ref }) => ref)).toEqual([
      'refs/heads/topic',
    ]);
    await app.rest.git.deleteRef({ ...repo, ref: 'heads/topic' });
    expect((await refused(app.rest.git.getRef({ ...repo, ref: 'heads/topic' }))).status).toBe(404);
    expect((await refused(app.rest.git.updateRef({ ...repo, ref: 'heads/topic', sha: other }))).message).toBe(
      'Reference does not exist',
    );
  });

  it.each([
    ['a path that leaves the tree', { path: '../x', mode: '100644', content: '' }, 422],
    ['a git directory', { path: 'a/.git/config', mode: '100644', content: '' }, 422],
    ['an object that is not there', { path: 'x', mode: '100644', sha: '1'.repeat(40) }, 422],
    ['the deletion of nothing', { path: 'nothing', mode: '100644', sha: null }, 422],
    [
      'a workflow without the workflows permission',
      { path: '.github/workflows/ci.yml', mode: '100644', content: 'on: push\n' },
      403,
    ],
  ])('refuses a tree with %s', async (_, item, status) => {
    const answer = await refused(
      app.rest.git.createTree({ ...repo, base_tree: await head(), tree: [{ type: 'blob', ...item } as never] }),
    );

    expect(answer.status).toBe(status);
  });

  it('stores many files of any size that come in one tree call', async () => {
    const contents = [
      '',
      'x',
      'x',
      'y'.repeat(15),
      'z'.repeat(16),
      'ü'.repeat(2048),
      'w'.repeat(300_000),
      ...Array.from({ length: 20 }, (_, at) => `${at}\n`),
    ];
    const tree = contents.map((content, at) => ({
      path: `many/${at}`,
      mode: '100644' as const,
      type: 'blob' as const,
      content,
    }));

    const { data } = await app.rest.git.createTree({ ...repo, base_tree: await head(), tree });
    const { data: many } = await app.rest.git.getTree({
      ...repo,
      tree_sha: data.tree.find(({ path }) => path === 'many')!.sha,
    });

    const stored = many.tree.map(async ({ path, sha }) => {
      const { data: blob } = await app.rest.git.getBlob({ ...repo, file_sha: sha });
      return [Number(path), Buffer.from(blob.content, 'base64').toString()];
    });
    expect(new Map((await Promise.all(stored)) as [number, string][])).toEqual(
      new Map(contents.map((content, at) => [at, content])),
    );
  });

  it('replaces a file by a folder and a folder by a file', async () => {
    const { data: tree } = await app.rest.git.createTree({
      ...repo,
      base_tree: await head(),
      tree: [
        { path: 'README.md/inner', mode: '100644', type: 'blob', content: 'x' },
        { path: 'src', mode: '100644', type: 'blob', content: 'y' },
      ],
    });

    const { data } = await app.rest.git.getTree({ ...repo, tree_sha: tree.sha, recursive: '1' });
    expect(data.tree.filter(({ type }) => type === 'blob').map(({ path }) => path)).toEqual([
      'README.md/inner',
      'bin/run',
      'src',
    ]);
  });

  it('answers 409 for the git data of an empty repository, and 404 for its contents', async () => {
    await github.addRepository({ owner: 'acme', name: `empty-${count}` });
    const empty = { owner: 'acme', repo: `empty-${count}` };

    expect(await refused(app.rest.git.createBlob({ ...empty, content: 'x' }))).toMatchObject({
      status: 409,
      message: 'Git Repository is empty.',
    });
    expect((await refused(app.rest.git.getRef({ ...empty, ref: 'heads/main' }))).status).toBe(409);
    expect((await refused(app.rest.repos.getContent({ ...empty, path: 'x' }))).message).toBe(
      'This repository is empty.',
    );
    expect((await refused(app.rest.repos.listCommits(empty))).status).toBe(409);
  });

  it('gives files, folders, links and large files as contents, and raw when asked', async () => {
    await github.push(`acme/${repo.repo}`, {
      by: 'acme',
      branch: 'main',
      files: { 'a/link': { mode: '120000', content: '../x' }, 'a/big': 'x'.repeat(1_100_000) },
    });

    const folder = (await app.rest.repos.getContent({ ...repo, path: 'a' })).data as { name: string; type: string }[];
    expect(folder).toMatchObject([
      { name: 'big', type: 'file' },
      { name: 'link', type: 'symlink' },
    ]);
    expect((await app.rest.repos.getContent({ ...repo, path: 'a/link' })).data).toMatchObject({
      type: 'symlink',
      target: '../x',
    });
    expect((await app.rest.repos.getContent({ ...repo, path: 'a/big' })).data).toMatchObject({
      encoding: 'none',
      content: '',
    });
    const raw = await app.rest.repos.getContent({ ...repo, path: 'src/keep.ts', mediaType: { format: 'raw' } });
    expect(raw.data).toBe('keep\n');
    expect((await refused(app.rest.repos.getContent({ ...repo, path: 'none' }))).status).toBe(404);
  });

  it('lists commits, branches and comparisons', async () => {
    await github.push(`acme/${repo.repo}`, {
      by: 'alice',
      branch: 'topic',
      files: { 'src/keep.ts': 'kept\n' },
      message: 'fix: keep',
    });
    github.protectBranch(`acme/${repo.repo}`, 'main');

    const { data: commits } = await app.rest.repos.listCommits({ ...repo, sha: 'topic', per_page: 1 });
    expect(commits).toMatchObject([{ commit: { message: 'fix: keep' }, author: { login: 'alice' } }]);
    expect((await app.rest.repos.listBranches(repo)).data).toMatchObject([
      { name: 'main', protected: true },
      { name: 'topic', protected: false },
    ]);
    expect((await app.rest.repos.getBranch({ ...repo, branch: 'main' })).data.protected).toBe(true);
    const { data: comparison } = await app.rest.repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...topic' });
    expect(comparison).toMatchObject({
      status: 'ahead',
      ahead_by: 1,
      behind_by: 0,
      files: [{ filename: 'src/keep.ts', patch: '@@ -1 +1 @@\n-keep\n+kept' }],
    });
    const { data: one } = await app.rest.repos.getCommit({ ...repo, ref: 'topic' });
    expect(one.stats).toEqual({ additions: 1, deletions: 1, total: 2 });
  });
});
