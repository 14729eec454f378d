import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeLfsFiles } from '../../src/github/git/lfs-files.ts';
import { isAncestor, obtainCommit } from '../../src/github/git/obtain-commit.ts';
import { mergeOnto } from '../../src/github/tree/merge-onto.ts';
import { rebaseWorkTree } from '../../src/github/tree/rebase-work-tree.ts';
import { stageChanges } from '../../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { GitFixture, runGit, writeFiles } from './support/git-fixture.ts';

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

describe('bot-fix', () => {
  it('U3 moves the work tree onto the new head, with markers where both changed the same lines', async () => {
    fixture.commit({ 'a.txt': 'one\n', 'same.txt': 's\n', 'gone.txt': 'g\n', '.gitignore': 'deps/\n', door: 'file\n' });
    const checkout = await fixture.open();
    writeFiles(checkout.workTree, { 'a.txt': 'ours\n', 'mine.txt': 'm\n', 'deps/x': 'kept\n', door: { link: '/tmp' } });
    const from = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);
    const head = fixture.commit({ 'a.txt': 'theirs\n', 'gone.txt': undefined, 'new/b.txt': 'b\n' });
    const merge = await mergeOnto(checkout, from, head);
    if (merge.kind !== 'conflict') throw new Error('it must not merge');
    // The verification wrote to the tree meanwhile.
    writeFiles(checkout.workTree, { 'same.txt': 'changed by a test\n' });

    await rebaseWorkTree(checkout, { from, head, changes: merge.changes });

    const text = (path: string) => readFileSync(join(checkout.workTree, path), 'utf8');
    expect(text('a.txt')).toMatch(/^<<<<<<< .*\ntheirs\n=======\nours\n>>>>>>> .*\n$/);
    expect([text('same.txt'), text('mine.txt'), text('new/b.txt'), text('deps/x')]).toEqual([
      's\n',
      'm\n',
      'b\n',
      'kept\n',
    ]);
    expect(existsSync(join(checkout.workTree, 'gone.txt'))).toBe(false);
    const status = runGit(checkout.workTree, `--git-dir=${checkout.gitDir}`, '--work-tree=.', 'status', '--short');
    expect(status.split('\n').map((line) => line.trim())).toEqual(['M a.txt', 'T door', '?? mine.txt']);
    expect(runGit('/', `--git-dir=${checkout.gitDir}`, 'rev-parse', 'HEAD')).toBe(head);
    const { changes } = await readTreeChanges({ ...checkout, headSha: head });
    expect(changes.map(({ path }) => path)).toEqual(['a.txt', 'door', 'mine.txt']);
  });

  it('U3 C4 content that stands for an LFS pointer stays where the pointer does', async () => {
    const content = Buffer.from([0, 1, 2]);
    const oid = createHash('sha256').update(content).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 3\n`;
    const newer = pointer.replace(oid, 'c'.repeat(64));
    fixture.commit({ 'a.txt': 'one\n', 'a.bin': pointer, 'b.bin': pointer, 'gone.bin': pointer });
    const checkout = await fixture.open();
    writeFiles(checkout.workTree, { 'a.bin': content, 'b.bin': content, 'gone.bin': undefined, 'a.txt': 'ours\n' });
    const bins = ['a.bin', 'b.bin', 'gone.bin'].map((path) => [path, { oid, size: 3 }] as const);
    await writeLfsFiles(checkout.gitDir, new Map(bins));
    const from = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);
    const head = fixture.commit({ 'new.txt': 'n\n', 'b.bin': newer });

    await obtainCommit(checkout, head);

    await rebaseWorkTree(checkout, { from, head, changes: from.changes });

    const bytes = (path: string) => readFileSync(join(checkout.workTree, path));
    expect([bytes('a.bin'), bytes('b.bin').toString()]).toEqual([content, newer]);
    const { changes } = await readTreeChanges({ ...checkout, headSha: head });
    expect(changes.map(({ path }) => path)).toEqual(['a.txt', 'gone.bin']);
  });

  it('U3 tells a head that went on from one that was rewritten', async () => {
    const first = fixture.commit({ 'a.txt': 'one\n' });
    const checkout = await fixture.open();
    const second = fixture.commit({ 'a.txt': 'two\n' });
    fixture.git('checkout', '--quiet', '--orphan', 'other');
    const other = fixture.commit({ 'b.txt': 'x\n' });

    expect(await isAncestor(checkout, first, second)).toBe(true);
    expect(await isAncestor(checkout, first, other)).toBe(false);
  });
});
