import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FileChange } from '../../src/demo/github/git/import-commit.ts';
import type { Checkout } from '../../src/github/git/checkout.ts';
import { publishCommit } from '../../src/github/publish-commit.ts';
import { stageChanges } from '../../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';
import { GIT_ENV, writeFiles, type Content } from './support/git-fixture.ts';

let demo: DemoGitHub;
afterEach(() => demo.close());

const onServer = (...args: string[]): Buffer =>
  execFileSync('git', args, {
    ...{ cwd: demo.server.state.repositories[0]!.gitDir, env: GIT_ENV, maxBuffer: 256 * 1024 ** 2 },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

interface Entry {
  readonly mode: string;
  readonly bytes: string;
}

/** What a work tree holds, as git would keep it: modes, links, bytes. */
function onDisk({ workTree }: Checkout): Record<string, Entry> {
  const names = readdirSync(workTree, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => {
      const stat = lstatSync(file);
      const mode = stat.isSymbolicLink() ? '120000' : stat.mode & 0o100 ? '100755' : '100644';
      const bytes = stat.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file);
      return [relative(workTree, file), { mode, bytes: bytes.toString('latin1') }];
    }),
  );
}

/** The same of a commit; submodules aside. */
function inCommit(sha: string): Record<string, Entry> {
  const listed = onServer('ls-tree', '-r', '-z', '--full-tree', sha).toString().split('\0').filter(Boolean);
  const entries = listed.map((line) => [line.slice(line.indexOf('\t') + 1), ...line.split(/[ \t]/)] as const);
  return Object.fromEntries(
    entries
      .filter(([, mode]) => mode !== '160000')
      .map(([path, mode = '', , blob]) => [
        path,
        { mode, bytes: onServer('cat-file', 'blob', blob!).toString('latin1') },
      ]),
  );
}

/** Commits what a sandbox made of a checkout, and looks at the commit. */
async function published(files: Record<string, FileChange>, work: (workTree: string) => void) {
  demo = await DemoGitHub.start({ files });
  const checkout = await demo.open();
  work(checkout.workTree);
  const { changes, leftOut } = await readTreeChanges(checkout);
  const staged = await stageChanges(checkout, changes);
  const sent = demo.record();
  const draft = { staged, message: 'fix: it\n', branch: 'dsh/issue-1', isOwn: false };
  const { sha } = await publishCommit(demo.connect(), REPO, draft);
  onServer('fsck', '--strict', '--no-dangling', sha);
  return { checkout, sha, leftOut, paths: changes.map(({ path }) => path), sent: sent() };
}

const link = (content: string): FileChange => ({ mode: '120000', content });
const LFS = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 3\n`;

interface Case {
  readonly base: Record<string, FileChange>;
  readonly work: Record<string, Content>;
  readonly changed: readonly string[];
}

const CASES: Record<string, Case> = {
  'a link becomes a file, and a file a link': {
    base: { a: link('b'), b: 'b\n' },
    work: { a: 'a\n', b: { link: 'a' } },
    changed: ['a', 'b'],
  },
  'a link becomes a folder, and a folder a link': {
    base: { a: link('b/c'), 'b/c': 'c\n' },
    work: { a: undefined, 'a/in': 'x\n', b: { link: 'nowhere' } },
    changed: ['a', 'a/in', 'b', 'b/c'],
  },
  'a file becomes a folder, and a folder a file': {
    base: { a: 'a\n', 'b/c': 'c\n', 'b/d/e': 'e\n' },
    work: { a: undefined, 'a/x/y': 'y\n', b: 'b\n' },
    changed: ['a', 'a/x/y', 'b', 'b/c', 'b/d/e'],
  },
  'names that differ in case alone': {
    base: { README: '1\n', readme: '2\n', 'Dir/x': '3\n', 'dir/x': '4\n' },
    work: { README: 'one\n', readme: undefined, Readme: 'new\n', 'DIR/x': '5\n' },
    changed: ['DIR/x', 'README', 'Readme', 'readme'],
  },
  'names that are composed in two ways': {
    base: { 'caf\u00e9': 'nfc\n', 'cafe\u0301': 'nfd\n' },
    work: { 'caf\u00e9': 'changed\n', 'e\u0301/\u00e9': 'new\n' },
    changed: ['caf\u00e9', 'e\u0301/\u00e9'],
  },
  'names with line ends, quotes, backslashes, tabs and what git and shells take for patterns': {
    base: { 'a\nb': '1\n', 'q"\'`$(x)': '2\n' },
    work: Object.fromEntries(
      [
        'a\nb',
        'q"\'`$(x)',
        'back\\slash',
        'tab\t',
        ' space ',
        '-dash',
        ':(glob)*',
        '*',
        '[x]',
        '%41',
        '\u0001',
        '...',
      ].map((name) => [name, 'new\n']),
    ),
    changed: [
      '\u0001',
      ' space ',
      '%41',
      '*',
      '-dash',
      '...',
      ':(glob)*',
      '[x]',
      'a\nb',
      'back\\slash',
      'q"\'`$(x)',
      'tab\t',
    ],
  },
  'line ends, keywords and encodings that attributes would convert': {
    base: {
      '.gitattributes': '* text=auto eol=crlf ident\n*.u working-tree-encoding=UTF-16\n*.s filter=evil\n',
      'lf.txt': 'one\ntwo\n$Id$\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'x.u': 'plain\n',
      'x.s': 'kept\n',
    },
    work: { 'lf.txt': 'one\nTWO\n$Id$\n', 'crlf.txt': 'one\r\nTWO\r\nlast', 'x.u': 'plain too\n', 'y.s': 'new\n' },
    changed: ['crlf.txt', 'lf.txt', 'x.u', 'y.s'],
  },
  'an LFS pointer that was edited, and one that was renamed': {
    base: { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.bin': LFS, 'b.bin': LFS },
    work: { 'a.bin': LFS.replace('size 3', 'size 4'), 'b.bin': undefined, 'c.bin': LFS },
    changed: ['a.bin', 'b.bin', 'c.bin'],
  },
};

describe('bot-fix', () => {
  it.each(Object.entries(CASES))(
    'U1 %s: bytes, modes and links arrive as they are',
    async (_, { base, work, changed }) => {
      const { checkout, sha, paths } = await published(base, (workTree) => writeFiles(workTree, work));

      expect(paths.sort()).toEqual([...changed].sort());
      expect(inCommit(sha)).toEqual(onDisk(checkout));
    },
  );

  it('U1 a change of the executable bit alone is a change, and sends no content', async () => {
    const base: Record<string, FileChange> = { 'a.sh': 'a\n', 'b.sh': { mode: '100755', content: 'b\n' }, c: 'c\n' };
    const { checkout, sha, paths, sent } = await published(base, (workTree) => {
      chmodSync(join(workTree, 'a.sh'), 0o755);
      chmodSync(join(workTree, 'b.sh'), 0o644);
      chmodSync(join(workTree, 'c'), 0o600);
    });

    expect(paths).toEqual(['a.sh', 'b.sh']);
    expect(inCommit(sha)).toEqual(onDisk(checkout));
    expect(sent.filter((line) => line.endsWith('/git/blobs'))).toEqual([]);
  });

  it('U1 C4 a submodule stays where it is, though its folder was moved and its entry edited', async () => {
    const gitmodules = '[submodule "lib"]\n\tpath = lib\n\turl = ../lib.git\n';
    const gitlink: FileChange = { mode: '160000', content: 'a'.repeat(40) };
    const { sha, paths } = await published({ '.gitmodules': gitmodules, lib: gitlink, 'a.txt': 'a\n' }, (workTree) =>
      writeFiles(workTree, { lib: undefined, '.gitmodules': gitmodules.replace('path = lib', 'path = moved') }),
    );

    expect(paths).toEqual(['.gitmodules']);
    expect(onServer('ls-tree', sha, 'lib').toString()).toBe(`160000 commit ${'a'.repeat(40)}\tlib\n`);
  });

  it('U1 U7 ten thousand changed files are one commit, in few calls', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `f/${at % 100}/${at}.txt`);
    const { sha, sent } = await published({ 'a.txt': 'a\n' }, (workTree) =>
      writeFiles(workTree, Object.fromEntries(names.map((name) => [name, `${name}\n`]))),
    );

    expect(onServer('ls-tree', '-r', '--name-only', sha).toString().trim().split('\n')).toHaveLength(10_001);
    expect(onServer('show', `${sha}:${names.at(-1)}`).toString()).toBe(`${names.at(-1)}\n`);
    expect(sent.length).toBeLessThan(30);
  }, 120_000);

  it('U1 a file of 60 MB arrives whole, and a long text as a blob of its own', async () => {
    const big = Buffer.alloc(60 * 1024 ** 2, 'x\n');
    const { sha, sent } = await published({ 'a.txt': 'a\n' }, (workTree) => writeFiles(workTree, { 'big.txt': big }));

    expect(onServer('cat-file', 'blob', `${sha}:big.txt`).equals(big)).toBe(true);
    expect(sent.filter((line) => line.endsWith('/git/blobs'))).toHaveLength(1);
  }, 120_000);
});
