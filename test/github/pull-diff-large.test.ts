import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localDiff } from '../../src/github/git/local-diff.ts';
import { readPullDiff } from '../../src/github/pull-diff.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';

let demo: DemoGitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start();
  demo.server.addCollaborator('acme/shop', 'ada', 'write');
});
afterEach(() => demo.close());

async function read(files: Record<string, string>) {
  await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files });
  const { number } = await demo.server.openPull('acme/shop', { by: 'ada', title: 'f', head: 'f', base: 'main' });
  const local = async () => localDiff(await demo.open({ kind: 'pull', number, baseBranch: 'main' }));
  return readPullDiff(demo.connect(), REPO, number, local);
}
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n/${at}.txt`, `${at}\n`]));
const rows = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`).join('\n');

describe('bot-review', () => {
  it('R2 D1 more than 300 files are read from GitHub, page by page', async () => {
    const { files, notes } = await read(many(350));

    expect(files).toHaveLength(350);
    expect(notes).toEqual([]);
  });

  it('R2 more than 3,000 files come from local git, which is said', async () => {
    const { files, notes } = await read(many(3_100));

    expect(files).toHaveLength(3_100);
    expect(files.every(({ hunks }) => hunks.length === 1)).toBe(true);
    expect(notes).toEqual(['GitHub lists 3000 of 3100 changed files, used local git for all.']);
  }, 120_000);

  it('R2 D4 two files of 21,000 changed lines are read whole, and it is said from where', async () => {
    const { files, notes } = await read({ 'a.txt': `${rows(10_500)}\n`, 'b.txt': `${rows(10_500)}\n` });

    expect(files.map(({ path, additions, hunks }) => [path, additions, hunks[0]!.lines.length])).toEqual([
      ['a.txt', 10_500, 10_500],
      ['b.txt', 10_500, 10_500],
    ]);
    expect(notes.join()).toMatch(/^$|used local git/);
  }, 120_000);
});
