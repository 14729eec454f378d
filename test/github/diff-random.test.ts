import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hunksSince } from '../../src/github/diff/hunks-since.ts';
import { parseGitDiff } from '../../src/github/diff/parse-git-diff.ts';
import type { DiffFile } from '../../src/github/diff/types.ts';
import { diffCommits } from '../../src/github/git/diff-commits.ts';
import { placeFinding } from '../../src/publish/review/place-finding.ts';
import { found } from '../publish/support/one-pull.ts';
import { GIT_ENV, runGit } from './support/git-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-random-diff-'));
const gitDir = join(folder, '.git');
runGit(folder, 'init', '--quiet');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  readonly content: string;
}
type Tree = Record<string, Entry>;

const hashes = new Map<string, string>();
const hash = (content: string) => {
  const known = hashes.get(content) ?? store(content);
  hashes.set(content, known);
  return known;
};
const store = (content: string) =>
  execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: folder,
    env: GIT_ENV,
    input: content,
    encoding: 'utf8',
  }).trim();

/** Written through an index of its own: no file system stands in the way of names and modes. */
function writeTree(tree: Tree): string {
  const lines = Object.entries(tree).map(
    ([path, { mode, content }]) => `${mode} ${mode === '160000' ? content : hash(content)}\t${path}\0`,
  );
  const env = { ...GIT_ENV, GIT_INDEX_FILE: join(folder, `index-${Math.random()}`) };
  const run = (args: string[], input = '') =>
    execFileSync('git', args, { cwd: folder, env, input, encoding: 'utf8' }).trim();
  run(['update-index', '-z', '--add', '--index-info'], lines.join(''));
  return run(['write-tree']);
}

/** `status oldMode newMode oldPath newPath` of each change, as `git diff --raw` has it. */
function raw(from: string, to: string, found: readonly string[]): string[] {
  const flags = ['--raw', '-z', ...found, '--no-abbrev', '--ignore-submodules=none'];
  const fields = runGit(folder, 'diff-tree', '-r', ...flags, from, to)
    .split('\0')
    .filter(Boolean);
  const changes: string[] = [];
  for (let at = 0; at < fields.length;) {
    const [oldMode, newMode, , , status] = fields[at++]!.slice(1).split(' ') as [
      string,
      string,
      string,
      string,
      string,
    ];
    const oldPath = fields[at++]!;
    const newPath = /^[RC]/.test(status) ? fields[at++]! : oldPath;
    // A patch of nothing but a new name tells no modes.
    const modes: [string, string] =
      /^[RC]100$/.test(status) && oldMode === newMode ? ['000000', '000000'] : [oldMode, newMode];
    changes.push(...briefs(status[0]!, modes, [oldPath, newPath]));
  }
  return changes.sort();
}

/** A change of the kind of a thing is told as one that goes and one that comes. */
function briefs(status: string, [oldMode, newMode]: [string, string], [oldPath, newPath]: [string, string]): string[] {
  if (status === 'T') return [`D ${oldMode} - ${oldPath}`, `A - ${newMode} ${newPath}`];
  const known = (mode: string) => (mode === '000000' ? '-' : mode);
  const path = oldPath === newPath ? newPath : `${oldPath} > ${newPath}`;
  return [`${status} ${known(oldMode)} ${known(newMode)} ${path}`];
}

const LETTERS = { added: 'A', removed: 'D', modified: 'M', renamed: 'R', copied: 'C' } as const;
const ours = (files: readonly DiffFile[]) =>
  files
    .map(({ status, oldMode = '-', newMode = '-', previousPath, path }) => {
      const names = previousPath ? `${previousPath} > ${path}` : path;
      return `${LETTERS[status]} ${oldMode} ${newMode} ${names}`;
    })
    .sort();

const line = fc.constantFrom(
  'one',
  'two',
  'three',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  '\\ No newline at end of file',
  '',
  'x\r',
  '\t',
);
const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => ({ mode: '100644' as const, content })) },
  text.map((content) => ({ mode: '100755' as const, content })),
  fc.constantFrom<Entry>(
    { mode: '120000', content: '../target' },
    { mode: '160000', content: 'a'.repeat(40) },
    { mode: '160000', content: 'b'.repeat(40) },
  ),
  fc.constantFrom<Entry>({ mode: '100644', content: 'bin\0ary' }, { mode: '100644', content: '\0' }),
);
const path = fc.constantFrom(
  'a',
  'b c',
  'd/e',
  'd/ü文',
  'q"uote',
  'tab\there',
  'back\\slash',
  'new\nline',
  ' x',
  'b b/b',
  'a b/a b',
  'dev/null',
  'x -> y',
  'cr\rlf',
  '\u0001',
  '-- a',
  'a/b/c/d',
  '\u{1f600}',
);
const tree = fc.dictionary(path, entry, { minKeys: 1, maxKeys: 6 });
/** What a push does to a tree. */
const change = fc.tuple(fc.constantFrom('delete', 'rename', 'move and edit', 'mode', 'write'), path, path, entry);

function apply(before: Tree, changes: readonly [string, string, string, Entry][]): Tree {
  const after = { ...before };
  for (const [what, from, to, made] of changes) {
    const old = after[from];
    if (what === 'write' || !old) after[from] = made;
    else if (what === 'delete') delete after[from];
    else if (what === 'mode' && old.mode.startsWith('100'))
      after[from] = { ...old, mode: old.mode === '100644' ? '100755' : '100644' };
    else if (what !== 'mode' && !after[to]) {
      delete after[from];
      after[to] = what === 'rename' || old.mode === '160000' ? old : { ...old, content: `${old.content}\nedited` };
    }
  }
  return after;
}

/** No path is both a file and the folder of another one. */
const isPossible = (one: Tree) =>
  !Object.keys(one).some((name) => Object.keys(one).some((other) => other.startsWith(`${name}/`)));

describe('bot-review', () => {
  it('R2 renames, copies, modes, links, submodules, binary and deleted files are what git says they are', async () => {
    const seen = fc.constantFrom<string[]>(['--find-renames'], ['--find-copies-harder']);
    await fc.assert(
      fc.asyncProperty(tree, fc.array(change, { minLength: 1, maxLength: 5 }), seen, async (before, changes, flags) => {
        const after = apply(before, changes);
        fc.pre(isPossible(before) && isPossible(after));
        const [from, to] = [writeTree(before), writeTree(after)];

        const files = parseGitDiff(await diffCommits({ gitDir }, from, to, flags));

        expect(ours(files)).toEqual(raw(from, to, flags));
      }),
      { numRuns: 60 },
    );
  });

  it('R2 a patch that git can apply backwards and forwards is the one whose lines we show', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        const [from, to] = [{ f: before }, { f: after }].map(({ f }) =>
          writeTree({ f: { mode: '100644', content: f } }),
        ) as [string, string];
        const [file] = parseGitDiff(await diffCommits({ gitDir }, from, to, ['--text']));
        const [old, now] = [before, after].map((side) => side.split('\n'));

        for (const { oldLine, newLine, text: shown } of file!.hunks.flatMap(({ lines }) => lines)) {
          if (oldLine !== undefined) expect(old![oldLine - 1]).toBe(shown);
          if (newLine !== undefined) expect(now![newLine - 1]).toBe(shown);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('R3 whatever lines a finding names, its place is on lines of one hunk that the diff shows, or nowhere', async () => {
    const someLine = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.tuple(someLine, someLine),
        fc.constantFrom('LEFT' as const, 'RIGHT' as const),
        async (before, after, lines, side) => {
          fc.pre(before !== after && !/\0/.test(before + after));
          const [from, to] = [before, after].map((content) => writeTree({ f: { mode: '100644', content } })) as [
            string,
            string,
          ];
          const files = parseGitDiff(await diffCommits({ gitDir }, from, to, ['--unified=2', '--text']));
          const [startLine, endLine] = lines.toSorted((a, b) => a - b) as [number, number];

          const { place, moved } = placeFinding(found({ path: 'f', side, startLine, endLine }), files);

          if (!place) return;
          const hunks = files[0]!.hunks.map((hunk) =>
            hunk.lines.flatMap((one) => (place.side === 'LEFT' ? one.oldLine : one.newLine) ?? []),
          );
          expect(hunks.some((shown) => shown.includes(place.startLine) && shown.includes(place.endLine))).toBe(true);
          expect(place.startLine).toBeLessThanOrEqual(place.endLine);
          if (!moved) expect(place.endLine).toBe(endLine);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('R6 of a diff the part since an earlier head holds every line of the pull request that was pushed since', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (base, first, second) => {
        fc.pre(first !== second && base !== second);
        const trees = [base, first, second].map((content) => writeTree({ f: { mode: '100644', content } })) as [
          string,
          string,
          string,
        ];
        const whole = parseGitDiff(await diffCommits({ gitDir }, trees[0], trees[2], ['--text']));
        const since = parseGitDiff(await diffCommits({ gitDir }, trees[1], trees[2], ['--text', '--unified=0']));

        const added = (files: readonly DiffFile[]) =>
          files.flatMap(({ hunks }) =>
            hunks.flatMap(({ lines }) => lines.flatMap(({ kind, newLine }) => (kind === 'add' ? [newLine!] : []))),
          );
        const part = added(hunksSince(whole, since));

        const pushed = new Set(added(since));
        expect(part).toEqual(expect.arrayContaining(added(whole).filter((one) => pushed.has(one))));
      }),
      { numRuns: 30 },
    );
  });

  it('R2 20,000 lines in one file, and 300 files of one line, are read whole', async () => {
    const long = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
    const many: Tree = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`n/${at}`, { mode: '100644' as const, content: 'same\n' }]),
    );
    const one = (content: string): Tree => ({ f: { mode: '100644', content } });
    const changed = long.map((text_, at) => (at % 2 ? `${text_}!` : text_));

    const [file] = parseGitDiff(
      await diffCommits({ gitDir }, writeTree(one(long.join('\n'))), writeTree(one(changed.join('\n')))),
    );
    const files = parseGitDiff(await diffCommits({ gitDir }, writeTree(one('x')), writeTree({ ...one('x'), ...many })));

    expect(file).toMatchObject({ additions: 10_000, deletions: 10_000, content: 'text' });
    expect(files).toHaveLength(300);
    expect(files.every(({ status, additions }) => status === 'added' && additions === 1)).toBe(true);
  });
});
