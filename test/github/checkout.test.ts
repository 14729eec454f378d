import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { git, gitText } from '../../src/github/git/git.ts';
import { mergeBase } from '../../src/github/git/merge-base.ts';
import { GitFixture, runGit } from './support/git-fixture.ts';

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

function packs(dir: string): string[] {
  return readdirSync(join(dir, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
}

describe('bot-fix', () => {
  it('C1 gives each session its own tree and git directory from one mirror', async () => {
    const sha = fixture.commit({ 'a.txt': 'one\n' });

    const first = await fixture.open({ kind: 'branch' }, { session: 's1' });
    writeFileSync(join(first.workTree, 'a.txt'), 'changed\n');
    const second = await fixture.open({ kind: 'branch' }, { session: 's2' });

    expect(first).toMatchObject({ headSha: sha, baseSha: sha, ref: 'refs/heads/main' });
    expect(readFileSync(join(second.workTree, 'a.txt'), 'utf8')).toBe('one\n');
    expect(second.gitDir).not.toBe(first.gitDir);
    expect(readdirSync(join(fixture.dataDir, 'mirrors'))).toEqual(['7.git']);
  });

  it('C1 transfers only new objects for a second session', async () => {
    fixture.commit({ 'a.txt': 'one\n' });
    const { mirror } = await fixture.open();
    const before = packs(mirror.gitDir);

    await fixture.open({ kind: 'branch' }, { session: 's2' });
    expect(packs(mirror.gitDir)).toEqual(before);

    fixture.commit({ 'b.txt': 'two\n' });
    await fixture.open({ kind: 'branch' }, { session: 's3' });
    const added = packs(mirror.gitDir).filter((pack) => !before.includes(pack));
    const index = join(mirror.gitDir, 'objects', 'pack', added[0]!.replace('.pack', '.idx'));
    expect(added).toHaveLength(1);
    // A commit, a tree and a blob.
    expect(runGit('/', 'verify-pack', '-v', index).match(/ (commit|tree|blob) /g)).toHaveLength(3);
  });

  it('C1 makes one pack of many, and sessions keep what they have', async () => {
    fixture.commit({ 'a.txt': 'one\n' });
    const { mirror, gitDir } = await fixture.open();
    for (let count = 0; count < 50; count++) {
      const empty = join(mirror.gitDir, 'objects', 'pack', `pack-${String(count).padStart(40, '0')}`);
      writeFileSync(`${empty}.pack`, '');
    }
    fixture.commit({ 'b.txt': 'two\n' });

    const second = await fixture.open({ kind: 'branch' }, { session: 's2' });

    const real = packs(mirror.gitDir).filter((name) => !name.startsWith('pack-000000'));
    expect(real).toHaveLength(1);
    expect(await gitText(['show', 'HEAD:a.txt'], { gitDir })).toBe('one');
    expect(await gitText(['show', 'HEAD:b.txt'], { gitDir: second.gitDir })).toBe('two');
  });

  it('C1 lets sessions of one repository start at the same moment', async () => {
    const sha = fixture.commit({ 'a.txt': 'one\n' });

    const sessions = ['s1', 's2', 's3', 's4'].map((session) => fixture.open({ kind: 'branch' }, { session }));

    expect((await Promise.all(sessions)).map(({ headSha }) => headSha)).toEqual([sha, sha, sha, sha]);
    expect(existsSync(join(fixture.dataDir, 'mirrors', '7.git.lock'))).toBe(false);
  });

  it('C1 leaves old blobs out of a mirror above the size limit, and still checks the whole tree out', async () => {
    fixture.git('config', 'uploadpack.allowFilter', 'true');
    fixture.commit({ 'a.txt': 'old\n' });
    const old = fixture.git('rev-parse', 'HEAD:a.txt');
    fixture.commit({ 'a.txt': 'new\n', 'b.txt': 'b\n' });

    const checkout = await fixture.open({ kind: 'branch' }, { fullBelowMb: 0 });

    const present = await git(['cat-file', '--batch-all-objects', '--batch-check'], { gitDir: checkout.gitDir });
    expect(readFileSync(join(checkout.workTree, 'a.txt'), 'utf8')).toBe('new\n');
    expect(present.stdout.toString()).not.toContain(old);
    expect(await gitText(['show', 'HEAD:b.txt'], { gitDir: checkout.gitDir })).toBe('b');
  });

  it('C1 borrows the objects of a shallow, detached runner tree without touching it', async () => {
    fixture.commit({ 'a.txt': 'one\n' });
    const head = fixture.commit({ 'a.txt': 'two\n' });
    const runner = join(fixture.root, 'runner');
    runGit('/', 'clone', '--quiet', '--depth=1', `file://${fixture.origin}`, runner);
    runGit(runner, 'checkout', '--quiet', '--detach');
    writeFileSync(
      join(runner, '.git', 'config'),
      `${readFileSync(join(runner, '.git', 'config'), 'utf8')}[http]\n\textraheader = token\n`,
    );
    const before = listing(runner);

    fixture.git('branch', 'aside');
    const checkout = await fixture.open(
      { kind: 'branch', sha: head },
      { borrowFrom: join(runner, '.git'), dataDir: join(fixture.root, 'data') },
    );

    expect(checkout.headSha).toBe(head);
    expect(readFileSync(join(checkout.workTree, 'a.txt'), 'utf8')).toBe('two\n');
    expect(
      runGit(
        checkout.workTree,
        `--git-dir=${checkout.gitDir}`,
        `--work-tree=${checkout.workTree}`,
        'log',
        '--format=%H',
      ),
    ).toBe(head);
    expect(readFileSync(join(checkout.gitDir, 'config'), 'utf8')).not.toContain('token');
    expect(packs(checkout.mirror.gitDir)).toEqual([]);
    expect(listing(runner)).toEqual(before);
  });

  it('C3 keeps the git directory outside the work tree, and status, log, diff, blame and show work on it', async () => {
    fixture.commit({ 'a.txt': 'one\n' }, 'first');
    fixture.commit({ 'a.txt': 'one\ntwo\n' }, 'second');
    const { gitDir, workTree } = await fixture.open();
    const run = (...args: string[]) => runGit(workTree, `--git-dir=${gitDir}`, `--work-tree=${workTree}`, ...args);

    expect(readdirSync(workTree)).toEqual(['a.txt']);
    expect(run('status', '--short')).toBe('');
    expect(run('log', '--format=%s')).toBe('second\nfirst');
    expect(run('show', 'HEAD~1:a.txt')).toBe('one');
    expect(run('blame', 'a.txt').split('\n')).toHaveLength(2);
    writeFileSync(join(workTree, 'a.txt'), 'one\nTWO\n');
    expect(run('diff', '--stat')).toContain('1 file changed');
  });

  it.each([
    ['end-of-line conversion', '*.txt text eol=crlf', 'one\ntwo\n'],
    ['end-of-line normalisation', '* text=auto', 'one\r\ntwo\n'],
    ['keyword expansion', '*.txt ident', '$Id$\n'],
    ['another working-tree encoding', '*.txt working-tree-encoding=UTF-16', 'one\n'],
    ['a filter', '*.txt filter=evil', 'one\n'],
  ])('C3 moves blob bytes untouched past %s', async (_, attributes, bytes) => {
    // Hashed as they are: git itself would convert them on the way in.
    fixture.commit({ '.gitattributes': `${attributes}\n` });
    const file = join(fixture.root, 'bytes');
    writeFileSync(file, bytes);
    const blob = fixture.git('hash-object', '-w', '--no-filters', file);
    fixture.git('update-index', '--add', '--cacheinfo', `100644,${blob},a.txt`);
    fixture.git('commit', '--quiet', '-m', 'bytes');

    const { workTree, gitDir } = await fixture.open();

    expect(readFileSync(join(workTree, 'a.txt'), 'utf8')).toBe(bytes);
    const status = runGit(workTree, `--git-dir=${gitDir}`, `--work-tree=${workTree}`, 'status', '--short');
    expect(status).toBe('');
  });

  it('C4 leaves LFS pointers pointers', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    fixture.commit({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'x.bin': pointer });

    const { workTree } = await fixture.open();

    expect(readFileSync(join(workTree, 'x.bin'), 'utf8')).toBe(pointer);
  });

  it('C4 checks a link out as a link, wherever it points', async () => {
    fixture.commit({ docs: { link: '/etc' } });

    const { workTree } = await fixture.open();

    expect(statSync(join(workTree, 'docs', 'passwd')).isFile()).toBe(true);
    expect(readdirSync(workTree, { withFileTypes: true })[0]!.isSymbolicLink()).toBe(true);
  });

  it('C5 says that a repository is empty', async () => {
    await expect(fixture.open()).rejects.toMatchObject({ code: 'REPOSITORY_EMPTY', hint: expect.any(String) });
  });

  it('C5 says which default branch is missing', async () => {
    fixture.commit({ 'a.txt': 'one\n' });

    const opening = fixture.open({ kind: 'branch' }, { defaultBranch: 'trunk' });

    await expect(opening).rejects.toMatchObject({ code: 'BRANCH_MISSING', message: expect.stringContaining('trunk') });
  });

  it('C5 says that the head of a pull request is gone', async () => {
    fixture.commit({ 'a.txt': 'one\n' });

    const opening = fixture.open({ kind: 'pull', number: 3, baseBranch: 'main' });

    await expect(opening).rejects.toMatchObject({ code: 'PULL_HEAD_MISSING' });
  });

  it('C5 names both commits when the head was force-pushed away since the event', async () => {
    fixture.commit({ 'a.txt': 'one\n' });
    const old = fixture.commit({ 'b.txt': 'old\n' });
    fixture.git('update-ref', 'refs/pull/3/head', old);
    fixture.git('reset', '--quiet', '--hard', 'HEAD~1');
    await fixture.open({ kind: 'pull', number: 3, baseBranch: 'main', headSha: old });
    const now = fixture.commit({ 'b.txt': 'new\n' });
    fixture.git('update-ref', 'refs/pull/3/head', now);

    const opening = fixture.open({ kind: 'pull', number: 3, baseBranch: 'main', headSha: old });

    await expect(opening).rejects.toMatchObject({ code: 'HEAD_MOVED', message: expect.stringContaining(old) });
    await expect(opening).rejects.toThrow(now);
  });

  it('C5 stays on the commit of the event when the head only went on', async () => {
    const seen = fixture.commit({ 'a.txt': 'one\n' });
    fixture.commit({ 'a.txt': 'two\n' });

    const checkout = await fixture.open({ kind: 'branch', sha: seen });

    expect(checkout.headSha).toBe(seen);
    expect(readFileSync(join(checkout.workTree, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('C5 says that git may not see the repository', async () => {
    const { repository } = fixture;
    fixture.close();

    const opening = fixture.open();

    await expect(opening).rejects.toMatchObject({
      code: 'REPOSITORY_UNAVAILABLE',
      message: expect.stringContaining(`${repository.owner}/${repository.repo}`),
    });
  });
});

describe('cases', () => {
  it('C1 C3 fetches a fork’s pull request by its number, whether or not the fork still exists', async () => {
    const base = fixture.commit({ 'a.txt': 'one\n' });
    fixture.git('checkout', '--quiet', '--detach');
    const head = fixture.commit({ 'a.txt': 'fork\n' });
    fixture.git('update-ref', 'refs/pull/12/head', head);
    fixture.git('checkout', '--quiet', 'main');

    const checkout = await fixture.open({ kind: 'pull', number: 12, baseBranch: 'main', headSha: head });

    expect(checkout).toMatchObject({ headSha: head, baseSha: base, ref: 'refs/pull/12/head' });
    expect(readFileSync(join(checkout.workTree, 'a.txt'), 'utf8')).toBe('fork\n');
  });

  it('I1 works when the default branch is called something with a slash', async () => {
    fixture.close();
    fixture = new GitFixture('trunk/next');
    const sha = fixture.commit({ 'a.txt': 'one\n' });

    const checkout = await fixture.open({ kind: 'branch' }, { defaultBranch: 'trunk/next' });

    expect(checkout).toMatchObject({ headSha: sha, ref: 'refs/heads/trunk/next' });
    expect(runGit(checkout.workTree, `--git-dir=${checkout.gitDir}`, 'symbolic-ref', 'HEAD')).toBe(
      'refs/heads/trunk/next',
    );
  });

  it('D8 deepens a borrowed shallow history until the merge base is there', async () => {
    const branchPoint = fixture.commit({ 'a.txt': 'one\n' });
    fixture.git('checkout', '--quiet', '-b', 'feature');
    const head = fixture.commit({ 'f.txt': 'feature\n' });
    fixture.git('update-ref', 'refs/pull/4/head', head);
    fixture.git('checkout', '--quiet', 'main');
    for (let count = 0; count < 60; count++) fixture.commit({ 'a.txt': `${count}\n` });
    const runner = join(fixture.root, 'runner');
    runGit('/', 'clone', '--quiet', '--depth=1', `file://${fixture.origin}`, runner);
    fixture.cloneUrl = `file://${fixture.origin}`;

    const checkout = await fixture.open(
      { kind: 'pull', number: 4, baseBranch: 'main', headSha: head },
      { borrowFrom: join(runner, '.git') },
    );

    expect(await mergeBase(checkout)).toBe(branchPoint);
  });

  it('D9 makes no common history an error and never an empty diff', async () => {
    fixture.commit({ 'a.txt': 'one\n' });
    fixture.git('checkout', '--quiet', '--orphan', 'other');
    fixture.git('update-ref', 'refs/pull/5/head', fixture.commit({ 'b.txt': 'two\n' }));
    fixture.git('checkout', '--quiet', 'main');
    const checkout = await fixture.open({ kind: 'pull', number: 5, baseBranch: 'main' });

    await expect(mergeBase(checkout)).rejects.toMatchObject({ code: 'NO_MERGE_BASE' });
  });
});

/** Every file below a folder with its date and size. */
function listing(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const { mtimeMs, size } = statSync(join(root, name));
    return `${name} ${mtimeMs} ${size}`;
  });
}
