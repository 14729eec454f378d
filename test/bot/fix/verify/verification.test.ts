import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { changedSince } from '../../../../src/bot/fix/verify/changed-since.ts';
import { changedTests } from '../../../../src/bot/fix/verify/changed-tests.ts';
import { detectTestCommands } from '../../../../src/bot/fix/verify/detect-test-commands.ts';
import { BASE_TREE, layBaseCommand } from '../../../../src/bot/fix/verify/lay-base.ts';
import { verify } from '../../../../src/bot/fix/verify/verify.ts';
import type { RecordedRun } from '../../../../src/bot/fix/verify/verify.ts';
import type { TreeChange } from '../../../../src/github/tree/types.ts';
import { MemoryBash } from '../../../support/memory-bash.ts';
import type { MemoryCommand, MemoryScript } from '../../../support/memory-bash.ts';

const npm = (test: unknown) => ({ 'package.json': JSON.stringify({ scripts: { test } }) });
const written = (path: string, text = '', kind: 'added' | 'modified' = 'modified'): TreeChange => ({
  kind,
  path,
  mode: '100644',
  bytes: Buffer.from(text),
  sha: '',
  inBase: false,
});
const LAY = layBaseCommand('abc', '/workspace');

/** `change` and `base` say what the command does in each tree. */
async function verified(
  change: MemoryCommand,
  base: MemoryCommand = {},
  more: Record<string, MemoryScript> = { [LAY]: {} },
) {
  const recorded: RecordedRun[] = [];
  const bash = new MemoryBash({ 'npm test': ({ workdir }) => (workdir === BASE_TREE ? base : change), ...more });
  const controller = new AbortController();
  const place = {
    bash,
    policy: { mode: 'workspace-write', workspaceRoot: '/workspace' } as never,
    baseSha: 'abc',
    timeoutMs: 20,
    signal: controller.signal,
    record: (run: RecordedRun) => void recorded.push(run),
  };
  return { result: () => verify(['npm test'], place), recorded, bash, controller };
}

describe('bot-fix', () => {
  it.each([
    ['npm test', npm('node --test')],
    ['npm test', { 'package.json': `\ufeff${npm('jest')['package.json']}` }],
    ['npm test', { ...npm('jest'), Makefile: 'test:\n\ttrue\n' }],
    ['make test', { Makefile: 'all: build\n\ntest: build\n\tcargo test\n' }],
    ['make test', { Makefile: 'lint test check:\n\ttrue\n' }],
    ['make test', { Makefile: 'test::\n\ttrue\n' }],
    ['make test', { ...npm('echo "Error: no test specified" && exit 1'), Makefile: 'test:\n' }],
    ['python3 -m pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }],
    ['python3 -m pytest', { 'pytest.ini': '' }],
    ['python3 -m pytest', { 'tox.ini': '[testenv]\ncommands = pytest\n' }],
    ['go test ./...', { 'go.mod': 'module x\n' }],
    ['cargo test', { 'Cargo.toml': '[package]\n' }],
  ])('F2 finds `%s`', (command, manifests) => {
    expect(detectTestCommands(manifests)).toEqual([command]);
  });

  it.each([
    ['nothing', {}],
    ['no test script', npm(undefined)],
    ['an empty one', npm(' ')],
    ['one that is no text', npm(['jest'])],
    ['a broken package.json', { 'package.json': '{' }],
    ['a package.json of null', { 'package.json': 'null' }],
    ['a make variable', { Makefile: 'test := x\ntest:=y\nTEST = z\n' }],
    ['another make target', { Makefile: 'test-all:\n\ttrue\nbuild: test\n' }],
    ['a project without pytest', { 'pyproject.toml': '[project]\n' }],
  ])('F2 finds no command in %s', (_, manifests) => {
    expect(detectTestCommands(manifests)).toEqual([]);
  });

  it('F2 a passing command is not run on the base', async () => {
    const { result, recorded } = await verified({ exitCode: 0 });

    expect(await result()).toEqual({
      runs: [{ command: 'npm test', exitCode: 0, timedOut: false }],
      newFailure: undefined,
    });
    expect(recorded.map(({ onBase }) => onBase)).toEqual([false]);
  });

  it('F2 F3 a failure that the change brought comes back with its output', async () => {
    const { result, recorded } = await verified({ exitCode: 1, stdout: '2 failed', stderr: 'at a.js:3' });

    const { runs, newFailure } = await result();

    expect(runs).toEqual([{ command: 'npm test', exitCode: 1, timedOut: false, failsOnBase: false }]);
    expect(newFailure).toEqual({
      command: 'npm test',
      output: '2 failed\nat a.js:3\n[exit code: 1]',
      onBase: 'passes',
    });
    expect(recorded.map(({ onBase }) => onBase)).toEqual([false, true]);
  });

  it('F2 a failure that was there before is told apart', async () => {
    const { result } = await verified({ exitCode: 1, stdout: '1 failed' }, { exitCode: 1, stdout: '1 failed' });

    expect(await result()).toMatchObject({
      runs: [{ exitCode: 1, failsOnBase: true, sameOnBase: true }],
      newFailure: undefined,
    });
  });

  it.each([
    ['the folder', 'at /workspace/a.js:3:1', `at ${BASE_TREE}/a.js:3:1`],
    ['durations', 'duration_ms 12.5\n2 failed in 3.01s (400 ms)', 'duration_ms 7\n2 failed in 1.2s (38 ms)'],
    ['clock and date', '2026-01-02T10:11:12.5 failed', '2026-01-03T23:59:59 failed'],
    ['addresses', '<A at 0x7f00aa>', '<A at 0x55ee>'],
  ])('F2 %s make no other failure', async (_, now, then) => {
    const { result } = await verified(
      { exitCode: 1, stdout: now, stderr: now },
      { exitCode: 1, stdout: then, stderr: then },
    );

    expect(await result()).toMatchObject({ runs: [{ sameOnBase: true }], newFailure: undefined });
  });

  it.each<[string, MemoryCommand, MemoryCommand]>([
    ['another code', { exitCode: 1 }, { exitCode: 2 }],
    ['other text', { exitCode: 1, stdout: '2 failed' }, { exitCode: 1, stdout: '1 failed' }],
    ['other errors', { exitCode: 1, stderr: 'a' }, { exitCode: 1, stderr: 'b' }],
    ['another place in a file', { exitCode: 1, stderr: 'a.js:12:3' }, { exitCode: 1, stderr: 'a.js:13:3' }],
    ['another signal', { signal: 'SIGSEGV' }, { signal: 'SIGKILL' }],
  ])('F2 F3 %s than on the base can be a new failure, told with both outputs', async (_, change, base) => {
    const { result } = await verified(change, base);

    const { runs, newFailure } = await result();

    expect(runs).toMatchObject([{ failsOnBase: true }]);
    expect(runs[0]).not.toHaveProperty('sameOnBase');
    expect(newFailure?.onBase).toBe('fails-differently');
    const texts = [change, base].flatMap(({ stdout, stderr }) => [stdout, stderr]).filter((text) => text !== undefined);
    for (const text of ['With the change:', 'Without it:', ...texts]) expect(newFailure?.output).toContain(text);
  });

  it('F3 PR32 two outputs together are no longer than one', async () => {
    const { result } = await verified(
      { exitCode: 1, stdout: 'x'.repeat(100_000) },
      { exitCode: 1, stdout: 'y'.repeat(100_000) },
    );

    expect((await result()).newFailure?.output.length).toBeLessThan(16_200);
  });

  it('F2 where the base cannot be laid out nothing is claimed of it, and the failure counts', async () => {
    const { result } = await verified({ exitCode: 1 }, {}, { [LAY]: { exitCode: 1 } });

    const { runs, newFailure } = await result();

    expect(runs).toEqual([{ command: 'npm test', exitCode: 1, timedOut: false }]);
    expect(newFailure).toMatchObject({ onBase: 'unknown' });
  });

  it('F2 a command that does not end in time failed, whatever its code', async () => {
    const { result } = await verified({ durationMs: 60_000, onTerm: 0 });

    expect(await result()).toMatchObject({
      runs: [{ timedOut: true, failsOnBase: false }],
      newFailure: { output: expect.stringContaining('[timed out after 20ms]') },
    });
  });

  it('F3 PR32 keeps both ends of a long output', async () => {
    const { result } = await verified({ exitCode: 1, stdout: `HEAD${'x'.repeat(100_000)}TAIL` });

    const { newFailure } = await result();

    expect(newFailure?.output.length).toBeLessThan(16_100);
    expect(newFailure?.output).toMatch(/^HEAD.*\n\[…\]\n.*TAIL\n\[exit code: 1\]$/s);
  });

  it('F2 an interruption ends it at once, without a verdict', async () => {
    const { result, controller, recorded } = await verified({ durationMs: 60_000 });
    const ended = result();

    controller.abort(new Error('stopped'));

    await expect(ended).rejects.toThrow('stopped');
    expect(recorded).toEqual([]);
  });

  it('F2 the base is laid out as it was committed, beside the work tree, dependencies shared', () => {
    const root = mkdtempSync(join(tmpdir(), 'dsh-lay-'));
    const tree = join(root, "it's a tree");
    const base = join(root, 'base');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: tree, encoding: 'utf8' });
    try {
      mkdirSync(join(tree, 'test'), { recursive: true });
      writeFileSync(join(tree, '.gitattributes'), 'test export-ignore\n');
      writeFileSync(join(tree, 'test/a.test.js'), 'old\n');
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'base');
      writeFileSync(join(tree, 'test/a.test.js'), 'new\n');
      mkdirSync(join(tree, 'node_modules'));
      mkdirSync(base);
      writeFileSync(join(base, 'left-over'), '');

      execFileSync('bash', ['-c', layBaseCommand(git('rev-parse', 'HEAD').trim(), tree, base)], { cwd: tree });

      expect(readFileSync(join(base, 'test/a.test.js'), 'utf8')).toBe('old\n');
      expect(lstatSync(join(base, 'node_modules')).isSymbolicLink()).toBe(true);
      expect(existsSync(join(base, 'left-over'))).toBe(false);
      expect(git('status', '--porcelain', '--untracked-files=no').trim()).toBe('M test/a.test.js');
      expect(git('diff', '--cached', '--name-only')).toBe('');
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('F2 names tests that existed and were changed or removed, but no new ones', () => {
    const changes = [
      written('src/a.js'),
      written('test/a.js'),
      written('test/new.js', '', 'added'),
      { kind: 'deleted', path: 'src/a.spec.ts' } as const,
      written('pkg/a_test.go'),
      written('tests/unit/test_b.py'),
      written('src/contest.js'),
      written('src/__tests__/c.js'),
    ];

    expect(changedTests(changes, {})).toEqual([
      'test/a.js',
      'src/a.spec.ts',
      'pkg/a_test.go',
      'tests/unit/test_b.py',
      'src/__tests__/c.js',
    ]);
  });

  it.each([
    [
      'a weakened test script',
      npm('jest'),
      written('package.json', npm('true')['package.json']),
      ['package.json (the test command)'],
    ],
    [
      'a removed manifest',
      npm('jest'),
      { kind: 'deleted', path: 'package.json' } as const,
      ['package.json (the test command)'],
    ],
    [
      'another part of it',
      npm('jest'),
      written('package.json', JSON.stringify({ version: '2', scripts: { test: 'jest' } })),
      [],
    ],
    ['a manifest that defines no test', npm(undefined), written('package.json', npm('jest')['package.json']), []],
    [
      'the Makefile in use',
      { Makefile: 'test:\n' },
      written('Makefile', 'test:\n\ttrue\n'),
      ['Makefile (the test command)'],
    ],
    ['a Makefile not in use', { ...npm('jest'), Makefile: 'test:\n' }, written('Makefile', ''), []],
  ])('F2 tells a change to the test command: %s', (_, base, change, told) => {
    expect(changedTests([change], base)).toEqual(told);
  });

  it.each([
    ['a script', ['sh check.sh'], written('check.sh'), ['check.sh']],
    ['a script by its path from here', ['./bin/check --all'], written('bin/check'), ['bin/check']],
    ['a quoted one in a chain', ["true && bash -c 'exec ./check.sh;'"], written('check.sh'), ['check.sh']],
    ['a script after cd', ['cd pkg && sh check.sh'], written('pkg/check.sh'), ['pkg/check.sh']],
    ['a removed one', ['sh check.sh'], { kind: 'deleted', path: 'check.sh' } as const, ['check.sh']],
    ['one of that name elsewhere', ['sh check.sh'], written('pkg/check.sh'), []],
    ['a new one', ['sh check.sh'], written('check.sh', '', 'added'), []],
    ['the rules of make', ['make check'], written('Makefile'), ['Makefile (the test command)']],
    [
      'scripts of npm',
      ['npm run check'],
      written('package.json', npm('true')['package.json']),
      ['package.json (the test command)'],
    ],
    [
      'a package.json with the same scripts',
      ['npm run check'],
      written('package.json', npm('jest')['package.json']),
      [],
    ],
    ['a manifest no command needs', ['sh check.sh'], written('Makefile'), []],
  ])('F2 tells what a configured command names: %s', (_, configured, change, told) => {
    expect(changedTests([change], npm('jest'), configured)).toEqual(told);
  });

  it('F2 tells a changed script that the test script names', () => {
    expect(changedTests([written('check.sh')], npm('sh check.sh'))).toEqual(['check.sh']);
  });

  it('F2 two readings of a tree are the same but where bytes, modes or existence differ', () => {
    const file = (path: string, sha: string, mode = '100644') => ({ ...written(path), sha, mode }) as TreeChange;
    const gone = (path: string): TreeChange => ({ kind: 'deleted', path });
    const before = [file('a', '1'), file('b', '1'), file('c', '1'), file('d', '1'), gone('e'), gone('f')];

    expect(changedSince(before, [...before].reverse())).toEqual([]);
    expect(
      changedSince(before, [
        file('a', '1'),
        file('b', '2'),
        file('c', '1', '100755'),
        gone('e'),
        file('f', '1'),
        file('g', '1'),
      ]),
    ).toEqual(['b', 'c', 'd', 'f', 'g']);
  });
});
