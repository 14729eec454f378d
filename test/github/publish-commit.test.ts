import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GitHub } from '../../src/github/client.ts';
import type { RecordedWrite } from '../../src/github/dry-run.ts';
import { publishCommit, type BranchDraft } from '../../src/github/publish-commit.ts';
import { readRepository } from '../../src/github/repository.ts';
import { renewingTokens } from '../../src/github/token-provider.ts';
import { stageChanges, type StagedTree } from '../../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';
import { GIT_ENV, writeFiles, type Content } from './support/git-fixture.ts';

const BRANCH = 'dsh/issue-1-fix';

let demo: DemoGitHub;
let github: GitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start({
    files: {
      'README.md': 'shop\n',
      'gone.txt': 'x\n',
      'old name.bin': new Uint8Array([0, 1, 2, 3]),
      dir: 'a file\n',
      'run.sh': { mode: '100755', content: '#!/bin/sh\n' },
      'vendor/lib': { mode: '160000', content: 'a'.repeat(40) },
    },
  });
  github = demo.connect();
});
afterEach(() => demo.close());

async function stage(files: Record<string, Content>): Promise<StagedTree> {
  const checkout = await demo.open();
  writeFiles(checkout.workTree, files);
  return await stageChanges(checkout, (await readTreeChanges(checkout)).changes);
}

function draft(staged: StagedTree, more: Partial<BranchDraft> = {}): BranchDraft {
  return { staged, message: 'fix: it\n', branch: BRANCH, isOwn: false, ...more };
}

/** Git in the repository on the server. */
function onServer(...args: string[]): string {
  const [repository] = demo.server.state.repositories;
  return execFileSync('git', args, { cwd: repository!.gitDir, env: GIT_ENV, encoding: 'utf8' }).trimEnd();
}

function branches(): string[] {
  return onServer('for-each-ref', '--format=%(refname:short)', 'refs/heads/').split('\n');
}

describe('bot-fix', () => {
  it('U1 carries every kind of change into one commit, byte for byte', async () => {
    const staged = await stage({
      'README.md': 'größer\r\nno newline',
      'gone.txt': undefined,
      'old name.bin': undefined,
      'new "name".bin': new Uint8Array([0, 1, 2, 3]),
      'photo.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
      'latin1.txt': new Uint8Array([0xfc, 0x0a]),
      'bom.txt': '\ufeffwith a mark\n',
      'nul.txt': 'a\0b\n',
      empty: '',
      'päth/ünd 文': 'x\n',
      link: { link: '../outside' },
      tool: { script: '#!/bin/sh\n' },
      'run.sh': '#!/bin/sh\n',
      dir: undefined,
    });
    const sent = demo.record();

    const { sha } = await publishCommit(github, REPO, draft(staged));

    expect(onServer('rev-parse', `${sha}^{tree}`)).toBe(staged.treeSha);
    expect(onServer('rev-parse', `${sha}^@`)).toBe(staged.parentSha);
    expect(onServer('rev-parse', BRANCH)).toBe(sha);
    expect(onServer('ls-tree', sha, 'vendor/lib')).toContain('160000');
    expect(onServer('ls-tree', sha, 'tool', 'run.sh', 'link').match(/^\d+/gm)).toEqual(['120000', '100644', '100755']);
    // photo, latin1, nul and empty; the renamed file is known to GitHub, the rest rides in the tree call.
    expect(sent().filter((line) => line.endsWith('/git/blobs'))).toHaveLength(4);
    expect(sent().filter((line) => line.endsWith('/git/commits'))).toHaveLength(1);
  });

  it('U1 turns a file into a folder and a folder into a file', async () => {
    await demo.server.push('acme/shop', {
      by: 'acme',
      branch: 'main',
      files: { 'folder/a': 'a\n', 'folder/b': 'b\n' },
    });
    const checkout = await demo.open();
    writeFiles(checkout.workTree, { dir: undefined, folder: 'a file now\n' });
    writeFiles(checkout.workTree, { 'dir/inside': 'a folder now\n' });
    const staged = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);

    const { sha } = await publishCommit(github, REPO, draft(staged));

    expect(onServer('rev-parse', `${sha}^{tree}`)).toBe(staged.treeSha);
  });

  it('U1 sends many files in few calls, each content once', async () => {
    const text = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`t/${at}.txt`, `text ${at}\n`]));
    const binary = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`b/${at}.bin`, new Uint8Array([0, at % 3])]),
    );
    const staged = await stage({ ...text, ...binary });
    const sent = demo.record();

    const { sha } = await publishCommit(github, REPO, draft(staged));

    expect(onServer('rev-parse', `${sha}^{tree}`)).toBe(staged.treeSha);
    expect(sent().filter((line) => line.endsWith('/git/trees'))).toHaveLength(3);
    expect(sent().filter((line) => line.endsWith('/git/blobs'))).toHaveLength(3);
  });

  it('U1 leaves the author to GitHub, which then calls the commit verified', async () => {
    const { sha } = await publishCommit(github, REPO, draft(await stage({ 'README.md': 'new\n' })));

    const { data } = await github.rest.git.getCommit({ ...REPO, commit_sha: sha });
    expect(data.verification.verified).toBe(true);
    expect(data.author.name).toBe('dsh[bot]');
  });

  it('U2 makes the branch, and a numeric suffix beside a foreign one', async () => {
    await demo.server.push('acme/shop', { by: 'stranger', branch: BRANCH, files: { theirs: 'x\n' } });
    const theirs = onServer('rev-parse', BRANCH);

    const published = await publishCommit(github, REPO, draft(await stage({ 'README.md': 'new\n' })));

    expect(published).toMatchObject({ branch: `${BRANCH}-2`, isNew: true });
    expect(onServer('rev-parse', `${BRANCH}-2`)).toBe(published.sha);
    expect(onServer('rev-parse', BRANCH)).toBe(theirs);
  });

  it('U2 puts a further commit on our own branch', async () => {
    const first = await publishCommit(github, REPO, draft(await stage({ 'README.md': 'one\n' })));
    const checkout = await demo.open({ kind: 'branch', branch: BRANCH }, 's2');
    writeFiles(checkout.workTree, { 'README.md': 'two\n' });
    const staged = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);

    const second = await publishCommit(github, REPO, draft(staged, { isOwn: true }));

    expect(second).toMatchObject({ branch: BRANCH, isNew: true });
    expect(onServer('log', '--format=%H', '-2', BRANCH)).toBe(`${second.sha}\n${first.sha}`);
  });

  it('U3 never forces our branch over somebody’s push', async () => {
    const staged = await stage({ 'README.md': 'one\n' });
    await publishCommit(github, REPO, draft(staged));
    const theirs = await demo.server.push('acme/shop', { by: 'acme', branch: BRANCH, files: { theirs: 'x\n' } });

    const publishing = publishCommit(github, REPO, draft({ ...staged }, { isOwn: true }));

    await expect(publishing).rejects.toMatchObject({ code: 'BRANCH_MOVED', message: expect.stringContaining(theirs) });
    expect(onServer('rev-parse', BRANCH)).toBe(theirs);
  });

  it('U6 makes nothing a second time when it is run again', async () => {
    const staged = await stage({ 'README.md': 'new\n' });
    const first = await publishCommit(github, REPO, draft(staged));
    const sent = demo.record();

    const again = await publishCommit(github, REPO, draft(staged));
    const asOwn = await publishCommit(github, REPO, draft(staged, { isOwn: true }));

    expect(again).toEqual({ ...first, isNew: false });
    expect(asOwn).toEqual({ ...first, isNew: false });
    expect(sent().filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(branches()).toEqual([BRANCH, 'main']);
  });

  it.each(['/git/trees', '/git/commits', '/git/refs'])('U6 survives a lost answer of %s', async (path) => {
    const staged = await stage({ 'README.md': 'new\n', 'x.bin': new Uint8Array([0, 1]) });
    demo.server.faults.inject({ match: { method: 'POST', path: new RegExp(`${path}$`) }, drop: 'after' });

    const published = await publishCommit(github, REPO, draft(staged));

    expect(published.branch).toBe(BRANCH);
    expect(onServer('rev-parse', `${BRANCH}^{tree}`)).toBe(staged.treeSha);
    expect(branches()).toEqual([BRANCH, 'main']);
  });

  it.each(['/git/blobs', '/git/trees', '/git/commits', '/git/refs'])(
    'U6 finishes when it is killed before %s and run again',
    async (path) => {
      const staged = await stage({ 'README.md': 'new\n', 'x.bin': new Uint8Array([0, 1]) });
      const broken = demo.server.faults.inject({ match: { path: new RegExp(`${path}$`) }, status: 422, times: 99 });
      await expect(publishCommit(github, REPO, draft(staged))).rejects.toMatchObject({ status: 422 });
      broken();

      await publishCommit(github, REPO, draft(staged));

      expect(onServer('rev-parse', `${BRANCH}^{tree}`)).toBe(staged.treeSha);
      expect(branches()).toEqual([BRANCH, 'main']);
    },
  );

  it('C2 works with tokens an app mints for one repository', async () => {
    const { app, installationOf } = demo.server;
    const auth = { appId: app.id, privateKey: app.privateKey, installationId: installationOf('acme')!.id };
    const [repository] = demo.server.state.repositories;
    await demo.server.addRepository({ owner: 'acme', name: 'other', private: true, files: { a: 'a\n' } });

    const client = demo.connect({
      auth: { ...auth, repositoryIds: [repository!.id], permissions: { contents: 'read' } },
    });

    expect((await client.rest.repos.get(REPO)).data.full_name).toBe('acme/shop');
    await expect(client.rest.repos.get({ owner: 'acme', repo: 'other' })).rejects.toMatchObject({ status: 404 });
    await expect(publishCommit(client, REPO, draft(await stage({ a: 'a\n' })))).rejects.toMatchObject({ status: 403 });
  });

  it('U7 prints a whole publication in a dry run and changes nothing', async () => {
    const staged = await stage({ 'README.md': 'new\n', 'x.bin': new Uint8Array([0, 1]) });
    const writes: RecordedWrite[] = [];

    await publishCommit(demo.connect({ dryRun: (write) => writes.push(write) }), REPO, draft(staged));

    expect(writes.map(({ url }) => url.split('/git/')[1])).toEqual(['blobs', 'trees', 'commits', 'refs']);
    expect(writes[3]!.body).toMatchObject({ ref: `refs/heads/${BRANCH}` });
    expect(branches()).toEqual(['main']);
  });
});

describe('cases', () => {
  it('I10 gives clear answers for an empty, an unknown and a renamed repository', async () => {
    await demo.server.addRepository({ owner: 'acme', name: 'empty' });
    const empty = { owner: 'acme', repo: 'empty' };
    const staged = await stage({ 'README.md': 'new\n' });

    await expect(publishCommit(github, empty, draft(staged))).rejects.toMatchObject({ code: 'REPOSITORY_EMPTY' });
    await expect(readRepository(github, { owner: 'acme', repo: 'nope' })).rejects.toMatchObject({
      code: 'REPOSITORY_UNAVAILABLE',
    });
    demo.server.renameRepository('acme/shop', 'store');
    expect(await readRepository(demo.connect(), REPO)).toMatchObject({ owner: 'acme', repo: 'store' });
  });

  it('I1 reads the default branch, whatever it is called', async () => {
    await demo.server.addRepository({ owner: 'acme', name: 'odd', defaultBranch: 'trunk/next', files: { a: 'a\n' } });

    const repository = await readRepository(github, { owner: 'acme', repo: 'odd' });

    expect(repository.defaultBranch).toBe('trunk/next');
  });

  it('J1 publishes with a fresh token after the first one expired', async () => {
    const { server } = demo;
    const now = () => server.state.now();
    const tokens = renewingTokens(
      async () => ({ token: demo.token(), expiresAt: new Date(now().getTime() + server.faults.tokenLifetimeMs) }),
      now,
    );
    const client = demo.connect({ auth: tokens });
    const staged = await stage({ 'README.md': 'new\n' });
    const first = await tokens();

    server.advance(61 * 60_000);
    const { sha } = await publishCommit(client, REPO, draft(staged));

    await expect(demo.connect({ auth: first }).rest.repos.get(REPO)).rejects.toMatchObject({ status: 401 });
    expect(onServer('rev-parse', BRANCH)).toBe(sha);
  });

  it('K4 checks a private repository out with a token that stays in no file', async () => {
    await demo.close();
    demo = await DemoGitHub.start({ private: true });

    const { gitDir, workTree, mirror } = await demo.open();

    const pattern = ['-rlE', 'gh[sp]_|x-access-token|extraheader', gitDir, workTree, mirror.gitDir];
    expect(() => execFileSync('grep', pattern)).toThrow(expect.objectContaining({ status: 1 }));
    expect(execFileSync('cat', [join(workTree, 'README.md')], { encoding: 'utf8' })).toBe('shop\n');
  });
});
