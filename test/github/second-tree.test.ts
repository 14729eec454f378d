import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Checkout } from '../../src/github/git/checkout.ts';
import { blobSha } from '../../src/github/tree/blob-sha.ts';
import { openSecondTree } from '../../src/github/tree/second-tree.ts';
import { applyTreePatch, readTreePatch } from '../../src/github/tree/tree-patch.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { GitFixture, runGit, writeFiles } from './support/git-fixture.ts';
import type { Content } from './support/git-fixture.ts';

const NEVER = new AbortController().signal;
const LINES = Array.from({ length: 40 }, (_, n) => `line ${n}`);
const MODE_IN_ID = '1137061\n';
const isRoot = process.getuid?.() === 0;
let fixture: GitFixture;
let first: Checkout;

beforeEach(async () => {
  fixture = new GitFixture();
  fixture.commit({
    'a.txt': `${LINES.join('\n')}\n`,
    'gone.txt': 'g\n',
    'run.sh': { script: 'true' },
    'b.bin': Buffer.from([0, 1, 2]),
    '.gitignore': 'deps/\n',
  });
  first = await fixture.open();
  writeFiles(first.workTree, {
    'a.txt': `${LINES.with(0, 'ours').join('\n')}\n`,
    'gone.txt': undefined,
    'new file.txt': 'not added\n',
    'deps/x': 'installed\n',
    link: { link: 'a.txt' },
  });
});
afterEach(() => fixture.close());

async function second(name = 'child'): Promise<Checkout> {
  const folder = join(fixture.root, name);
  mkdirSync(folder);
  return openSecondTree(first, folder, NEVER);
}
const text = (tree: Checkout, path: string) => readFileSync(join(tree.workTree, path), 'utf8');
const changed = (tree: Checkout, files: Record<string, Content>) => writeFiles(tree.workTree, files);
const status = ({ gitDir, workTree }: Checkout) =>
  runGit(workTree, `--git-dir=${gitDir}`, '--work-tree=.', 'status', '--short');
/** All there is to know of a tree beside its commit. */
const standing = async (tree: Checkout) => JSON.stringify((await readTreeChanges(tree)).changes);
async function patchOf(tree: Checkout, files: Record<string, Content>): Promise<string> {
  changed(tree, files);
  return (await readTreePatch(first, tree))!.id;
}

describe('subagent', () => {
  it('N2 a second tree holds what the first holds now, not committed, not added and ignored, and is clean to git', async () => {
    const child = await second();

    expect(text(child, 'a.txt')).toBe(text(first, 'a.txt'));
    expect([text(child, 'new file.txt'), text(child, 'deps/x')]).toEqual(['not added\n', 'installed\n']);
    expect(readlinkSync(join(child.workTree, 'link'))).toBe('a.txt');
    expect(() => text(child, 'gone.txt')).toThrow('ENOENT');
    expect(status(child)).toBe('');
    expect(runGit('/', `--git-dir=${child.gitDir}`, 'rev-parse', 'HEAD~1')).toBe(first.headSha);
    expect(await readTreePatch(first, child)).toBeUndefined();
  });

  it('N2 a tree that cannot be copied is said to be one, and an abort is an abort', async () => {
    const gone = { ...first, workTree: join(fixture.root, 'gone') };
    const folder = join(fixture.root, 'none');
    mkdirSync(folder);

    await expect(openSecondTree(gone, folder, NEVER)).rejects.toMatchObject({ code: 'TREE_NOT_COPIED' });
    await expect(openSecondTree(first, folder, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });

  it('N2 what the child changes stays in its tree, and is a patch with files and counts', async () => {
    const child = await second();
    const before = await standing(first);
    changed(child, { 'new.txt': 'n\n', 'new file.txt': 'changed\n', 'deps/x': 'other\n' });

    const patch = await readTreePatch(first, child);

    expect(patch!.stat).toMatch(/new file\.txt \| 2 \+-\n.*new\.txt +\| 1 \+\n 2 files changed/);
    expect(patch!.diff).toContain('-not added\n+changed');
    expect(patch!.diff).not.toContain('deps');
    expect(await standing(first)).toBe(before);
  });

  it('N2 a patch is merged with what the parent changed meanwhile, binary files, modes, links and deletions too', async () => {
    const id = await patchOf(await second(), {
      'a.txt': `${LINES.with(0, 'ours').with(39, 'theirs').join('\n')}\n`,
      'run.sh': 'true\n',
      'b.bin': Buffer.from([9, 0, 9]),
      link: undefined,
      'deep/er/x.txt': 'x\n',
    });
    changed(first, { 'a.txt': `${LINES.with(0, 'ours').with(20, 'later').join('\n')}\n`, 'later.txt': 'l\n' });

    const applied = await applyTreePatch(first, id);

    expect(applied).toEqual({ kind: 'applied', paths: ['a.txt', 'b.bin', 'deep/er/x.txt', 'link', 'run.sh'] });
    expect(
      text(first, 'a.txt')
        .split('\n')
        .filter((line) => !line.startsWith('line')),
    ).toEqual(['ours', 'later', 'theirs', '']);
    expect([text(first, 'later.txt'), text(first, 'deep/er/x.txt'), text(first, 'deps/x')]).toEqual([
      'l\n',
      'x\n',
      'installed\n',
    ]);
    expect(readFileSync(join(first.workTree, 'b.bin'))).toEqual(Buffer.from([9, 0, 9]));
    expect(() => readlinkSync(join(first.workTree, 'link'))).toThrow('ENOENT');
    expect(statSync(join(first.workTree, 'run.sh')).mode & 0o100).toBe(0);
    expect(runGit('/', `--git-dir=${first.gitDir}`, 'rev-parse', 'HEAD')).toBe(first.headSha);
    expect(status(first)).toMatch(/^\?\? later\.txt$/m);
    expect(await applyTreePatch(first, id)).toEqual({ kind: 'nothing' });
  });

  it('N2 N10 two children that edit one file: the second patch conflicts, is told, and leaves the tree as it was', async () => {
    const [one, two] = [await second('one'), await second('two')];
    const mine = await patchOf(one, { 'a.txt': `${LINES.with(5, 'one').join('\n')}\n` });
    const other = await patchOf(two, { 'a.txt': `${LINES.with(5, 'two').join('\n')}\n`, 'fine.txt': 'f\n' });
    await applyTreePatch(first, mine);
    const before = await standing(first);

    const refused = await applyTreePatch(first, other);

    expect(refused).toEqual({ kind: 'conflict', paths: ['a.txt'] });
    expect(await standing(first)).toBe(before);
    expect(() => text(first, 'fine.txt')).toThrow('ENOENT');
  });

  it('N2 a patch whose writing is cut off leaves the tree as it was', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
    const id = await patchOf(await second(), { ...many, 'a.txt': 'all new\n' });
    const before = await standing(first);
    const controller = new AbortController();
    const watcher = watch(first.workTree, () => controller.abort());

    await expect(applyTreePatch(first, id, controller.signal)).rejects.toThrow();

    watcher.close();
    expect(await standing(first)).toBe(before);
  });

  it('N2 a patch that this machine does not hold is told, and what the parent’s links lead to is not written', async () => {
    expect(await applyTreePatch(first, 'a'.repeat(40))).toEqual({ kind: 'missing' });

    const id = await patchOf(await second(), { 'deep/x.txt': 'x\n' });
    const outside = join(fixture.root, 'outside');
    mkdirSync(outside);
    changed(first, { deep: { link: outside } });
    const result = await applyTreePatch(first, id);

    expect(result.kind).toBe('conflict');
    expect(() => readFileSync(join(outside, 'x.txt'))).toThrow('ENOENT');
  });

  it('N2 X10 a folder that a patch turns into a link leads nothing of ours through it', async () => {
    const outside = join(fixture.root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'owned'), 'host\n');
    changed(first, { 'd/owned': 'tree\n' });
    const id = await patchOf(await second(), { d: { link: outside } });
    if (isRoot) chownSync(first.workTree, 1234, 1234);

    expect((await applyTreePatch(first, id)).kind).toBe('applied');

    expect(readlinkSync(join(first.workTree, 'd'))).toBe(outside);
    expect(statSync(join(outside, 'owned')).uid).toBe(process.getuid!());
    if (isRoot) expect(lstatSync(join(first.workTree, 'd')).uid).toBe(1234);
  });

  it('N2 what the parent’s tree holds and no tree of git can stays when a patch is taken over', async () => {
    const id = await patchOf(await second(), { 'new.txt': 'n\n' });
    const large = join(first.workTree, 'b.bin');
    truncateSync(large, 100 * 1024 ** 2 + 1);

    expect(await applyTreePatch(first, id)).toEqual({ kind: 'applied', paths: ['new.txt'] });

    expect(statSync(large).size).toBe(100 * 1024 ** 2 + 1);
    expect((await readTreeChanges(first)).leftOut).toEqual([{ path: 'b.bin', reason: 'too-large' }]);
  });

  it('N2 files that the parent’s own ignore rules no longer leave out are no change of the child', async () => {
    changed(first, { '.gitignore': '*.log\n' });
    const child = await second();
    expect(await readTreePatch(first, child)).toBeUndefined();

    const id = await patchOf(child, { 'new.txt': 'n\n' });
    changed(first, { 'deps/x': 'newer\n' });

    expect(await applyTreePatch(first, id)).toEqual({ kind: 'applied', paths: ['new.txt'] });
    expect(text(first, 'deps/x')).toBe('newer\n');
  });

  it('N2 what nobody can read is not in what a patch shows: binary files, deleted lines, and too much of anything', async () => {
    const child = await second();
    changed(child, { 'b.bin': Buffer.alloc(300_000, '\0abc'), 'a.txt': undefined });
    const { stat, diff } = (await readTreePatch(first, child))!;

    expect(stat).toMatch(/b\.bin +\| +Bin 3 -> 300000 bytes/);
    expect(diff).toContain('Binary files a/b.bin and b/b.bin differ');
    expect(diff).toContain('deleted file mode 100644');
    expect(diff.length).toBeLessThan(1_000);

    changed(child, { 'big.txt': 'line\n'.repeat(7_000_000) });
    expect((await readTreePatch(first, child))!.diff).toBe('(The changes are too large to be shown.)');
  });

  it('N2 a change is taken over whatever the ids of its bytes are', async () => {
    // Among the digits of its id is the mode of submodules.
    const bytes = MODE_IN_ID;
    expect(blobSha(Buffer.from(bytes))).toContain('160000');
    const id = await patchOf(await second(), { 'new.txt': bytes });

    await applyTreePatch(first, id);

    expect(text(first, 'new.txt')).toBe(bytes);
  });

  it('N2 names with line ends, dashes and quotes are taken over, and git’s own folders, devices and hidden commands are not', async () => {
    const child = await second();
    const odd = { '-rf': 'a\n', 'two\nlines': 'b\n', '"q" \t': 'c\n', ':(glob)*': 'd\n' };
    changed(child, {
      ...odd,
      'sub/.git/config': '[core]\n\tfsmonitor = touch /tmp/never\n',
      '.gitattributes': '* filter=evil text eol=crlf merge=evil\n',
      'crlf.txt': 'x\r\n',
    });
    const id = (await readTreePatch(first, child))!.id;

    expect((await applyTreePatch(first, id)).kind).toBe('applied');

    for (const [path, content] of Object.entries(odd)) expect(text(first, path)).toBe(content);
    expect(text(first, 'crlf.txt')).toBe('x\r\n');
    expect(existsSync(join(first.workTree, 'sub'))).toBe(false);
    expect(await applyTreePatch(first, id)).toEqual({ kind: 'nothing' });
  });
});
