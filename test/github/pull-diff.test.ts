import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { GitHub } from '../../src/github/client.ts';
import type { DiffFile } from '../../src/github/diff/types.ts';
import { localDiff } from '../../src/github/git/local-diff.ts';
import { readPullDiff } from '../../src/github/pull-diff.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';
import type { FileChange } from '../../src/demo/github/git/import-commit.ts';

let demo: DemoGitHub;
let github: GitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start({
    files: {
      'README.md': 'shop\n',
      'old.ts': 'one\ntwo\nthree\nfour\nfive\n',
      'pure.ts': 'pure\nrename\nof\nfour lines\n',
      'gone.ts': 'gone\n',
      'run.sh': '#!/bin/sh\n',
      'x.bin': new Uint8Array([0, 1, 2]),
    },
  });
  demo.server.addCollaborator('acme/shop', 'ada', 'write');
  github = demo.connect();
});
afterEach(() => demo.close());

async function openPull(files: Record<string, FileChange>): Promise<number> {
  await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files });
  return (await demo.server.openPull('acme/shop', { by: 'ada', title: 'f', head: 'f', base: 'main' })).number;
}

/** The diff by git on the host, and how often it was asked for. */
function local(number: number) {
  return jest.fn(async () => await localDiff(await demo.open({ kind: 'pull', number, baseBranch: 'main' })));
}

const paths = (files: DiffFile[]) => files.map(({ path }) => path);

describe('bot-review', () => {
  it('R2 reads GitHub’s own diff, all pages of it', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`n/${at}.txt`, `${at}\n`]));
    const number = await openPull({ 'README.md': 'shop\nmore\n', ...many });
    const git = local(number);

    const diff = await readPullDiff(github, REPO, number, git);

    expect(diff.files).toHaveLength(151);
    expect(diff.notes).toEqual([]);
    expect(git).not.toHaveBeenCalled();
    expect(diff.files.find(({ path }) => path === 'README.md')!.hunks[0]).toMatchObject({ newStart: 1, newLines: 2 });
  });

  it('R2 leaves out what the base got since the branch left it', async () => {
    const number = await openPull({ 'README.md': 'mine\n' });
    await demo.server.push('acme/shop', { by: 'ada', branch: 'main', files: { 'gone.ts': 'changed on main\n' } });

    expect(paths((await readPullDiff(github, REPO, number, local(number))).files)).toEqual(['README.md']);
    expect(paths(await local(number)())).toEqual(['README.md']);
  });

  it('R2 says the same from GitHub and from local git', async () => {
    const number = await openPull({
      'README.md': 'shop\nno newline',
      'gone.ts': null,
      'old.ts': null,
      'new.ts': 'one\ntwo\nthree\nfour\nFIVE\n',
      link: { mode: '120000', content: '../x' },
      lib: { mode: '160000', content: 'a'.repeat(40) },
    });

    const { files } = await readPullDiff(github, REPO, number, local(number));
    const fromGit = await local(number)();

    const brief = ({ path, previousPath, status, hunks, additions, deletions }: DiffFile) => ({
      path,
      previousPath,
      status,
      additions,
      deletions,
      lines: hunks.map(({ lines }) => lines),
    });
    const byPath = (a: DiffFile, b: DiffFile) => (a.path < b.path ? -1 : 1);
    expect(files.sort(byPath).map(brief)).toEqual(fromGit.sort(byPath).map(brief));
    expect(files.map(({ path, content }) => [path, content])).toContainEqual(['lib', 'submodule']);
  });
});

describe('cases', () => {
  it.each([
    ['D1 D3 the 406', 406, [{ code: 'too_large' }]],
    ['D6 the 422', 422, []],
  ])('%s of a diff too large for the API means local git, and is said', async (_, status, errors) => {
    const number = await openPull({ 'README.md': 'new\n' });
    const body = { message: 'Sorry, too many files changed', errors };
    demo.server.faults.inject({ match: { path: /\/files$/ }, status, body });

    const { files, notes } = await readPullDiff(github, REPO, number, local(number));

    expect(paths(files)).toEqual(['README.md']);
    expect(notes).toEqual([`The diff is too large for the API (GitHub answered ${status}), used local git.`]);
  });

  it('D1 lists more than 300 files, which the diff media type refuses', async () => {
    const number = await openPull(Object.fromEntries(Array.from({ length: 310 }, (_, at) => [`n/${at}`, `${at}\n`])));

    const { files, notes } = await readPullDiff(github, REPO, number, local(number));

    expect(files).toHaveLength(310);
    expect(notes).toEqual([]);
  });

  it('D4 takes the patch GitHub leaves out from local git, and says so', async () => {
    const lines = (word: string) => Array.from({ length: 10_500 }, (_, at) => `${word} ${at}\n`).join('');
    const number = await openPull({ 'big.txt': lines('new').repeat(2), 'README.md': 'new\n' });

    const { files, notes } = await readPullDiff(github, REPO, number, local(number));

    const big = files.find(({ path }) => path === 'big.txt')!;
    expect(big.hunks[0]!.lines).toHaveLength(21_000);
    expect(big.content).toBe('text');
    expect(notes).toEqual(['GitHub shows no whole patch for 1 large file(s), used local git: big.txt.']);
  });

  it('D6 takes all from local git when GitHub lists fewer files than changed', async () => {
    const number = await openPull({ 'README.md': 'new\n', 'gone.ts': null });
    const listed = [{ sha: 'a', filename: 'README.md', status: 'modified', additions: 1, deletions: 1, changes: 2 }];
    demo.server.faults.inject({ match: { path: /\/files$/ }, status: 200, body: listed });

    const { files, notes } = await readPullDiff(github, REPO, number, local(number));

    expect(paths(files)).toEqual(['README.md', 'gone.ts']);
    expect(notes).toEqual(['GitHub lists 1 of 2 changed files, used local git for all.']);
  });

  it('D7 understands removed, renamed, mode-only, binary and linked files', async () => {
    const number = await openPull({
      'gone.ts': null,
      'old.ts': null,
      'renamed.ts': 'one\ntwo\nthree\nfour\nFIVE\n',
      'pure.ts': null,
      'moved.ts': 'pure\nrename\nof\nfour lines\n',
      'run.sh': { mode: '100755', content: '#!/bin/sh\n' },
      'x.bin': new Uint8Array([0, 9, 9]),
      'y.bin': new Uint8Array([0, 7]),
      link: { mode: '120000', content: '../x' },
      empty: '',
    });

    const { files, notes } = await readPullDiff(github, REPO, number, local(number));

    const brief = files.map(({ path, status, content, previousPath = '', hunks }) =>
      [path, status, content, previousPath, hunks.length].join(' '),
    );
    expect(brief.sort()).toEqual([
      'empty added text  0',
      'gone.ts removed text  1',
      'link added text  1',
      'moved.ts renamed text pure.ts 0',
      'renamed.ts renamed text old.ts 1',
      'run.sh modified text  0',
      'x.bin modified binary  0',
      'y.bin added binary  0',
    ]);
    expect(files.find(({ path }) => path === 'run.sh')).toMatchObject({ oldMode: '100644', newMode: '100755' });
    expect(notes).toEqual([]);
  });

  it('D9 never answers an empty diff for a base that is not there', async () => {
    const number = await openPull({ 'README.md': 'new\n' });
    demo.server.faults.inject({ match: { path: /\/files$/ }, status: 406 });

    const reading = readPullDiff(github, REPO, number, async () => {
      throw new Error('no merge base');
    });

    await expect(reading).rejects.toThrow('no merge base');
  });

  it('C3 reads the diff of a pull request whose fork is gone', async () => {
    await demo.server.addFork('acme/shop', 'eve');
    await demo.server.push('eve/shop', { by: 'eve', branch: 'patch', files: { 'README.md': 'eve\n' } });
    const fields = { title: 'p', head: 'eve:patch', base: 'main' };
    const { number } = await demo.server.openPull('acme/shop', { by: 'eve', ...fields });
    demo.server.deleteRepository('eve/shop');

    const checkout = await demo.open({ kind: 'pull', number, baseBranch: 'main' });
    const diff = await readPullDiff(github, REPO, number, () => localDiff(checkout));

    expect(paths(diff.files)).toEqual(['README.md']);
    expect(checkout.headSha).toBe(diff.headSha);
  });
});
