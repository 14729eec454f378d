import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Checkout } from '../../src/github/git/checkout.ts';
import { restoreChanges } from '../../src/github/tree/restore-changes.ts';
import { splitWorkflows } from '../../src/github/tree/split-workflows.ts';
import { stageChanges } from '../../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import type { TreeChange } from '../../src/github/tree/types.ts';
import { unifiedDiff } from '../../src/github/tree/unified-diff.ts';
import { makeDeepFolder } from '../support/make-deep-folder.ts';
import { GIT_ENV, GitFixture, runGit, writeFiles, type Content } from './support/git-fixture.ts';

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

async function checkoutOf(files: Record<string, Content>): Promise<Checkout> {
  fixture.commit(files);
  return await fixture.open();
}

/** Path → what happened, with text for bytes. */
async function changesOf(checkout: Checkout) {
  const { changes, leftOut } = await readTreeChanges(checkout);
  return { changes: changes.map(short), leftOut };
}

function short(change: TreeChange): string {
  if (change.kind === 'deleted') return `deleted ${change.path}`;
  return `${change.kind} ${change.path} ${change.mode} ${Buffer.from(change.bytes).toString()}`;
}

describe('bot-fix', () => {
  it('U1 sees additions, changes, deletions, modes, links and binary, empty and oddly named files', async () => {
    const checkout = await checkoutOf({
      'same.txt': 'same\n',
      'edit.txt': 'one\n',
      'gone.txt': 'x\n',
      'run.sh': '#!/bin/sh\n',
      'dir/deep/file': 'deep\n',
    });

    writeFiles(checkout.workTree, {
      'edit.txt': 'two\n',
      'gone.txt': undefined,
      'new dir/it\'s "quoted".txt': 'q\n',
      'größe-文.txt': 'ü\n',
      empty: '',
      link: { link: '../elsewhere' },
      'run.sh': { script: '#!/bin/sh\n' },
      'dir/deep': 'now a file\n',
    });

    expect((await changesOf(checkout)).changes).toEqual([
      'added dir/deep 100644 now a file\n',
      'deleted dir/deep/file',
      'modified edit.txt 100644 two\n',
      'added empty 100644 ',
      'deleted gone.txt',
      'added größe-文.txt 100644 ü\n',
      'added link 120000 ../elsewhere',
      'added new dir/it\'s "quoted".txt 100644 q\n',
      'modified run.sh 100755 #!/bin/sh\n',
    ]);
  });

  it('U1 stages exactly the tree that git itself would make of the work tree', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n', 'b/c': 'c\n', 'b/d': 'd\n', file: 'f', 'bin.dat': 'x' });
    writeFiles(checkout.workTree, {
      'a.txt': undefined,
      'moved.txt': 'a\n',
      b: 'file now',
      file: undefined,
      'bin.dat': new Uint8Array([0, 255, 1, 254]),
      link: { link: 'bin.dat' },
      tool: { script: '#!/bin/sh\n' },
    });
    writeFiles(checkout.workTree, { 'file/inside': 'folder now' });

    const { changes } = await readTreeChanges(checkout);
    const staged = await stageChanges(checkout, changes);

    writeFiles(fixture.origin, { 'a.txt': undefined, b: undefined, file: undefined });
    execFileSync('cp', ['-a', `${checkout.workTree}/.`, fixture.origin]);
    fixture.commit({});
    expect(staged.treeSha).toBe(fixture.git('rev-parse', 'HEAD^{tree}'));
    expect(staged.parentSha).toBe(checkout.headSha);
  });

  it('U1 knows content the base already holds, so that a renamed file is not uploaded', async () => {
    const checkout = await checkoutOf({ 'old.bin': new Uint8Array([0, 1, 2]) });
    renameSync(join(checkout.workTree, 'old.bin'), join(checkout.workTree, 'new.bin'));

    const { changes } = await readTreeChanges(checkout);

    expect(changes.map(({ path }) => path)).toEqual(['new.bin', 'old.bin']);
    expect(changes[0]).toMatchObject({ inBase: true });
  });

  it('U1 leaves a submodule where it is, whatever stands in its folder', async () => {
    fixture.commit({ 'a.txt': 'a\n' });
    const other = fixture.git('rev-parse', 'HEAD');
    fixture.git('update-index', '--add', '--cacheinfo', `160000,${other},vendor/lib`);
    fixture.git('commit', '--quiet', '-m', 'submodule');
    const checkout = await fixture.open();

    writeFiles(checkout.workTree, { 'vendor/lib/.git/config': '[core]\n', 'vendor/lib/file': 'x' });
    expect((await changesOf(checkout)).changes).toEqual([]);

    writeFiles(checkout.workTree, { vendor: undefined });
    expect((await changesOf(checkout)).changes).toEqual([]);
  });

  it('U1 names files of more than 100 MB and leaves them out', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n', 'grown.bin': 'small' });
    execFileSync('truncate', ['-s', '101M', join(checkout.workTree, 'grown.bin'), join(checkout.workTree, 'new.bin')]);

    const { changes, leftOut } = await changesOf(checkout);

    expect(changes).toEqual([]);
    expect(leftOut).toEqual([
      { path: 'grown.bin', reason: 'too-large' },
      { path: 'new.bin', reason: 'too-large' },
    ]);
  });

  it('U1 parts workflow files from the rest', async () => {
    const checkout = await checkoutOf({ '.github/workflows/ci.yml': 'on: push\n' });
    writeFiles(checkout.workTree, { '.github/workflows/ci.yml': 'on: pull_request\n', 'src/a.ts': 'a\n' });

    const { workflows, others } = splitWorkflows((await readTreeChanges(checkout)).changes);

    expect(workflows.map(({ path }) => path)).toEqual(['.github/workflows/ci.yml']);
    expect(others.map(({ path }) => path)).toEqual(['src/a.ts']);
  });

  it.each([
    ['a file', 'file\n'],
    ['a link', { link: 'src' }],
  ])('U1 %s in the place of the workflows, or of the folder above, parts with them', async (_, replacement) => {
    for (const place of ['.github/workflows', '.github']) {
      const checkout = await checkoutOf({ '.github/workflows/ci.yml': 'on: push\n', '.github/dsh.yml': 'a: 1\n' });
      writeFiles(checkout.workTree, { [place]: undefined });
      writeFiles(checkout.workTree, { [place]: replacement, '.github.md': 'b\n' });

      const { workflows, others } = splitWorkflows((await readTreeChanges(checkout)).changes);

      expect(workflows.map(({ path }) => path)).toEqual([place, '.github/workflows/ci.yml'].sort());
      const rest = others.map(({ path }) => path);
      expect(rest).toEqual(place === '.github' ? ['.github.md', '.github/dsh.yml'] : ['.github.md']);
    }
  });

  it('U1 leaves out what the base commit ignores, whatever the work tree’s own rules say now', async () => {
    const checkout = await checkoutOf({
      '.gitignore': 'node_modules/\n*.log\n!keep.log\n/only-root\n',
      'sub/.gitignore': 'local\n',
      'tracked.log': 'was forced in\n',
    });

    writeFiles(checkout.workTree, {
      '.gitignore': 'src\n',
      'sub/.gitignore': undefined,
      'node_modules/x/index.js': 'x',
      'deep/node_modules/y': 'y',
      'a.log': 'a',
      'keep.log': 'k',
      'tracked.log': 'changed\n',
      'only-root': 'r',
      'deep/only-root': 'd',
      'sub/local': 'l',
      'src/new.ts': 'n',
      'node_modules.txt': 't',
    });

    expect((await changesOf(checkout)).changes.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'modified .gitignore',
      'added deep/only-root',
      'added keep.log',
      'added node_modules.txt',
      'added src/new.ts',
      'deleted sub/.gitignore',
      'modified tracked.log',
    ]);
  });

  it('C4 takes a link as a link and never looks behind it', async () => {
    const checkout = await checkoutOf({ 'docs/a.md': 'a\n', 'plain.txt': 'p\n' });
    const outside = join(fixture.root, 'outside');
    writeFiles(outside, { 'a.md': 'secret\n', 'secret.txt': 'secret\n' });

    writeFiles(checkout.workTree, { docs: { link: outside }, 'plain.txt': { link: '/etc/passwd' } });

    const { changes } = await changesOf(checkout);
    expect(changes).toEqual([
      `added docs 120000 ${outside}`,
      'deleted docs/a.md',
      'modified plain.txt 120000 /etc/passwd',
    ]);
  });

  it('C4 waits on no pipe and reads no device or socket', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n' });
    writeFiles(checkout.workTree, { 'a.txt': undefined });
    execFileSync('mkfifo', [join(checkout.workTree, 'a.txt'), join(checkout.workTree, 'pipe')]);

    const { changes, leftOut } = await changesOf(checkout);

    expect(changes).toEqual([]);
    expect(leftOut.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['a.txt special-file', 'pipe special-file']);
  });

  it('C4 names files whose names are no UTF-8, and keeps those of the base as they are', async () => {
    fixture.commit({ 'a.txt': 'a\n' });
    writeFileSync(Buffer.concat([Buffer.from(`${fixture.origin}/`), Buffer.from([0xff, 0x61])]), 'raw\n');
    const checkout = await checkoutOf({});
    writeFileSync(Buffer.concat([Buffer.from(`${checkout.workTree}/`), Buffer.from([0xfe, 0x62])]), 'raw\n');

    const { changes, leftOut } = await changesOf(checkout);

    expect(changes).toEqual([]);
    expect(leftOut).toEqual([{ path: '\ufffdb', reason: 'name-not-utf8' }]);
  });

  it('C4 ends with a tree that is nested without end', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n' });
    execFileSync('sh', ['-c', 'for i in $(seq 300); do mkdir d && cd d || exit; done; echo x > f'], {
      cwd: checkout.workTree,
    });

    const { changes, leftOut } = await changesOf(checkout);

    expect(changes).toEqual([]);
    expect(leftOut).toMatchObject([{ reason: 'too-deep' }]);
  });

  it('C4 leaves out what is nested deeper than a path is long, and the next checkout takes its place', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n' });
    makeDeepFolder(checkout.workTree);
    writeFiles(checkout.workTree, { 'new.txt': 'new\n' });

    const { changes, leftOut } = await changesOf(checkout);
    const next = await fixture.open();

    expect(changes).toEqual(['added new.txt 100644 new\n']);
    expect(leftOut).toMatchObject([{ reason: 'too-deep' }]);
    expect([next.workTree, readdirSync(next.workTree)]).toEqual([checkout.workTree, ['a.txt']]);
  });

  it('U1 keeps a file the sandbox made unreadable out of the deletions', async () => {
    const checkout = await checkoutOf({ 'shut/a.txt': 'a\n' });
    chmodSync(join(checkout.workTree, 'shut'), 0);

    // Root reads everything, so the outcome differs by who runs the tests; deleted it is for nobody.
    expect((await changesOf(checkout)).changes).toEqual([]);
    chmodSync(join(checkout.workTree, 'shut'), 0o755);
  });

  it('C4 stops reading when the work is given up', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n' });
    for (let count = 0; count < 500; count++) writeFiles(checkout.workTree, { [`d${count}/f`]: 'x' });
    const stop = new AbortController();

    const reading = readTreeChanges(checkout, stop.signal);
    setTimeout(() => stop.abort(), 30);

    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('C7 puts kept changes back onto a fresh tree, uncommitted as they were', async () => {
    const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', dir: { link: '/tmp' } };
    const checkout = await checkoutOf(files);
    writeFiles(checkout.workTree, {
      'a.txt': undefined,
      'b.txt': { script: 'b\n' },
      dir: undefined,
      'dir/x': 'x\n',
      link: { link: 'b.txt' },
    });
    const before = await readTreeChanges(checkout);

    const fresh = await fixture.open({ kind: 'branch' }, { session: 's2' });
    await restoreChanges(fresh, before.changes);

    expect(await readTreeChanges(fresh)).toEqual(before);
    const status = runGit(fresh.workTree, `--git-dir=${fresh.gitDir}`, `--work-tree=${fresh.workTree}`, 'status', '-s');
    expect(status.split('\n')).toEqual([' D a.txt', ' M b.txt', ' D dir', '?? link']);
  });

  it('U8 shows changes as a patch that git apply takes', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n', 'b.bin': new Uint8Array([0, 1]), 'gone me': 'x\n' });
    writeFiles(checkout.workTree, {
      'a.txt': 'A\nno newline',
      'b.bin': new Uint8Array([0, 2, 3]),
      'gone me': undefined,
      'new "x"': { script: 'n\n' },
      link: { link: 'a.txt' },
    });
    const { changes } = await readTreeChanges(checkout);
    const staged = await stageChanges(checkout, changes);

    const patch = await unifiedDiff(checkout.gitDir, staged);

    const input = { cwd: fixture.origin, env: GIT_ENV, input: patch };
    execFileSync('git', ['apply', '--index', '-'], input);
    expect(fixture.git('write-tree')).toBe(staged.treeSha);
  });
});

describe('cases', () => {
  it('O3 never reads a git directory, hook, filter or configuration the sandbox wrote', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n', '.gitattributes': '*.txt filter=evil diff=evil\n' });
    const proof = join(fixture.root, 'proof');
    const evil = `#!/bin/sh\ntouch ${proof}\n`;
    const config = [
      `[core]\n\tfsmonitor = touch ${proof}\n\thooksPath = hooks`,
      `[filter "evil"]\n\tclean = touch ${proof}\n\tsmudge = touch ${proof}`,
      `[diff "evil"]\n\tcommand = touch ${proof}\n\ttextconv = touch ${proof}`,
      `[include]\n\tpath = ../more`,
      '',
    ].join('\n');
    for (const place of ['.git', 'nested/.git', 'nested/deeper/.GIT']) {
      writeFiles(checkout.workTree, {
        [`${place}/config`]: config,
        [`${place}/HEAD`]: 'ref: refs/heads/main\n',
        [`${place}/objects/keep`]: '',
        [`${place}/refs/keep`]: '',
        [`${place}/hooks/pre-push`]: { script: evil },
        [`${place}/hooks/post-index-change`]: { script: evil },
      });
    }
    writeFiles(checkout.workTree, { 'a.txt': 'b\n', 'nested/file.txt': 'n\n', '.gitattributes': '* filter=evil\n' });

    const { changes } = await readTreeChanges(checkout);
    const staged = await stageChanges(checkout, changes);
    await unifiedDiff(checkout.gitDir, staged);

    expect(changes.map(({ path }) => path)).toEqual(['.gitattributes', 'a.txt', 'nested/file.txt']);
    expect(existsSync(proof)).toBe(false);
  });

  it('O4 commits an escaping link as a link and writes nothing behind it', async () => {
    const checkout = await checkoutOf({ 'a.txt': 'a\n' });
    const outside = join(fixture.root, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(checkout.workTree, 'docs'));
    symlinkSync('../../..', join(checkout.workTree, 'up'));
    writeFileSync(join(checkout.workTree, 'docs', 'x'), 'written by the sandbox');

    const { changes } = await changesOf(checkout);

    expect(changes).toEqual([`added docs 120000 ${outside}`, 'added up 120000 ../../..']);
  });

  it('D14 sees one changed line in a file with CRLF, and keeps the endings', async () => {
    const checkout = await checkoutOf({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\r\ntwo\r\nthree' });
    fixture.commit({});
    const file = join(checkout.workTree, 'a.txt');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace('two', 'TWO'));

    const { changes } = await readTreeChanges(checkout);
    const patch = await unifiedDiff(checkout.gitDir, await stageChanges(checkout, changes));

    expect(changes).toHaveLength(1);
    expect(patch.match(/^[-+](?![-+])/gm)).toHaveLength(2);
  });

  it('D11 neither rewrites an LFS pointer nor takes it for changed', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    const checkout = await checkoutOf({ '.gitattributes': '*.bin filter=lfs -text\n', 'x.bin': pointer });

    expect((await changesOf(checkout)).changes).toEqual([]);
  });
});
