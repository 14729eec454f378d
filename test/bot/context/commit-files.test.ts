import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommitFiles } from '../../../src/bot/context/commit-files.ts';
import { GitFixture } from '../../github/support/git-fixture.ts';

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

const gitDir = () => `${fixture.origin}/.git`;

describe('bot-security', () => {
  it('X6 what a commit holds is read as it is there, whatever the paths are', async () => {
    const sha = fixture.commit({
      'a/one.txt': '1',
      'a/two.md': '2',
      'a/gone': { link: 'nowhere' },
      'a/here': { link: 'two.md' },
      'a/up': { link: '../../../etc/passwd' },
      loop: { link: 'loop' },
    });
    const paths = ['a', 'missing', 'a/gone', 'loop', 'a/up', 'a/one.txt/x', 'a/here', 'new\nline', 'a/two.md'];
    const files = new CommitFiles({ gitDir: gitDir(), sha }, paths);

    const there = await Promise.all(paths.map((path) => files.exists(path)));

    expect(there).toEqual([true, false, false, false, false, false, true, false, true]);
    expect(await files.list('a')).toEqual([
      { name: 'gone', type: 'broken' },
      { name: 'here', type: 'file' },
      { name: 'one.txt', type: 'file' },
      { name: 'two.md', type: 'file' },
      { name: 'up', type: 'broken' },
    ]);
    expect([await files.read('a/here'), await files.read('a'), await files.read('missing')]).toEqual([
      '2',
      undefined,
      undefined,
    ]);
  });

  it('X6 a repository that cannot be read fails whoever asks, and nobody else', async () => {
    const files = new CommitFiles({ gitDir: `${fixture.root}/none`, sha: 'HEAD' }, ['a']);

    await new Promise((resolve) => setTimeout(resolve, 100));

    await expect(files.list('a')).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
