import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runGit, writeFiles } from '../github/support/git-fixture.ts';
import { runDsh } from './support/run-dsh.ts';
import { MEND, SMALL_FILES, submit } from './support/small-repository.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** `dsh fix --local`: no GitHub, a checkout of this machine. */
let stage: Stage;
let folder: string;

beforeAll(async () => {
  stage = await openStage();
  folder = mkdtempSync(join(tmpdir(), 'dsh-local-'));
  runGit(folder, 'init', '--quiet', '--initial-branch=trunk');
  writeFiles(folder, SMALL_FILES);
  runGit(folder, 'add', '--all');
  runGit(folder, 'commit', '--quiet', '-m', 'first');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  expect(await stage.close()).toEqual([]);
});

const local = (args: string[], cwd = folder) => {
  const { GITHUB_API_URL: _api, GITHUB_SERVER_URL: _server, ...variables } = commonVariables(stage);
  return runDsh(['fix', '--local', ...args], variables, undefined, undefined, cwd);
};

describe('bot-fix', () => {
  it('U2 a task on a local checkout becomes a branch of it, verified, and nothing else is touched', async () => {
    const head = runGit(folder, 'rev-parse', 'HEAD');
    writeFiles(folder, { 'mine.txt': 'not committed\n' });
    const before = stage.github.requests.length;
    stage.play([MEND, submit()]);

    const { code, stdout, stderr } = await local(['Mend', 'the', 'greeting']);

    expect(code === 0 ? stderr : stdout + stderr).toBe('');
    expect(stdout).toContain('git diff HEAD...dsh/local-greet-with-hello');
    expect(stdout).toContain('sh check.sh');
    const branch = 'dsh/local-greet-with-hello';
    expect(runGit(folder, 'rev-parse', `${branch}~1`)).toBe(head);
    expect(runGit(folder, 'show', `${branch}:greet.txt`)).toBe('hello world');
    expect(runGit(folder, 'ls-tree', '--name-only', branch)).not.toContain('mine.txt');
    expect(runGit(folder, 'rev-parse', 'HEAD')).toBe(head);
    expect(readFileSync(join(folder, 'greet.txt'), 'utf8')).toBe(SMALL_FILES['greet.txt']);
    expect(runGit(folder, 'status', '--short')).toBe('?? mine.txt');
    expect(runGit(folder, 'fsck', '--strict')).toBe('');
    expect(stage.github.requests).toHaveLength(before);
  });

  it('U2 a branch of that name gets a numeric suffix, also from a folder below', async () => {
    mkdirSync(join(folder, 'below'), { recursive: true });
    stage.play([MEND, submit()]);

    const { code, stdout } = await local(['--json', 'Mend the greeting'], join(folder, 'below'));

    expect(code).toBe(0);
    const { result } = JSON.parse(stdout) as { result: { outcome: { produced: unknown } }[] };
    expect(JSON.stringify(result)).toContain('dsh/local-greet-with-hello-2');
    expect(runGit(folder, 'show', 'dsh/local-greet-with-hello-2:greet.txt')).toBe('hello world');
  });

  it('C5 a folder in no checkout, and a checkout without a commit, are told as such', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'dsh-local-'));

    const nowhere = await local(['x'], empty);
    runGit(empty, 'init', '--quiet');
    const fresh = await local(['x'], empty);

    expect([nowhere.code, fresh.code]).toEqual([1, 1]);
    expect(nowhere.stderr).toContain('is in no git checkout.');
    expect(fresh.stderr).toContain('has no commit yet.');
    rmSync(empty, { recursive: true });
  });
});
