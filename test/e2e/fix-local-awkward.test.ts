import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runGit, writeFiles } from '../github/support/git-fixture.ts';
import { runDsh } from './support/run-dsh.ts';
import { MEND, SMALL_FILES, run, submit } from './support/small-repository.ts';
import { says } from '../../src/demo/model/reply.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

let stage: Stage;
const folders: string[] = [];
beforeAll(async () => { stage = await openStage(); });
afterAll(async () => {
  for (const f of folders) rmSync(f, { recursive: true, force: true });
  expect(await stage.close()).toEqual([]);
});
const temp = () => { const f = mkdtempSync(join(tmpdir(), 'dsh-local-')); folders.push(f); return f; };
const repo = (files: Record<string, string> = SMALL_FILES) => {
  const folder = temp();
  runGit(folder, 'init', '--quiet', '--initial-branch=trunk');
  writeFiles(folder, files);
  runGit(folder, 'add', '--all');
  runGit(folder, 'commit', '--quiet', '-m', 'first');
  return folder;
};
const local = (args: string[], cwd: string) => {
  const { GITHUB_API_URL: _api, GITHUB_SERVER_URL: _server, ...variables } = commonVariables(stage);
  return runDsh(['fix', '--local', ...args], variables, undefined, undefined, cwd);
};
const show = (name: string, r: unknown) => console.log(name, JSON.stringify(r, (_k, v) => typeof v === 'string' ? v.slice(0, 1500) : v, 1).replaceAll('\\n', '\n   '));

describe('bot-fix', () => {
  it('detached', async () => {
    const folder = repo();
    runGit(folder, 'checkout', '--quiet', '--detach');
    stage.play([MEND, submit()]);
    show('detached', await local(['Mend'], folder));
    show('b', runGit(folder, 'branch', '-a'));
  });
  it('bare', async () => {
    const folder = repo();
    const bare = temp();
    runGit(bare, 'clone', '--quiet', '--bare', folder, 'x.git');
    stage.play([MEND, submit()]);
    show('bare', await local(['Mend'], join(bare, 'x.git')));
  });
  it('worktree', async () => {
    const folder = repo();
    const other = join(temp(), 'wt');
    runGit(folder, 'worktree', 'add', '--quiet', '-b', 'side', other);
    writeFiles(other, { 'side.txt': 's\n' });
    runGit(other, 'add', '--all');
    runGit(other, 'commit', '--quiet', '-m', 'side');
    stage.play([MEND, submit()]);
    show('worktree', await local(['Mend'], other));
    show('b', [runGit(folder, 'branch', '-a'), runGit(folder, 'log', '--oneline', '--all')]);
  });
  it('shallow + packed + dsh branch', async () => {
    const folder = repo();
    writeFiles(folder, { 'side.txt': 's\n' });
    runGit(folder, 'add', '--all');
    runGit(folder, 'commit', '--quiet', '-m', 'second');
    const up = temp();
    runGit(up, 'clone', '--quiet', '--depth=1', `file://${folder}`, 'x');
    stage.play([MEND, submit()]);
    show('shallow', await local(['Mend'], join(up, 'x')));
    runGit(folder, 'branch', 'dsh');
    show('dsh branch', await local(['Mend'], folder));
  });
  it('sha256', async () => {
    const folder = temp();
    runGit(folder, 'init', '--quiet', '--object-format=sha256', '--initial-branch=trunk');
    writeFiles(folder, SMALL_FILES);
    runGit(folder, 'add', '--all');
    runGit(folder, 'commit', '--quiet', '-m', 'first');
    stage.play([MEND, submit()]);
    show('sha256', await local(['Mend'], folder));
  });
  it('never submits, long task, hooks, autocrlf', async () => {
    const folder = repo();
    writeFileSync(join(folder, '.git/hooks/reference-transaction'), '#!/bin/sh\ntouch /tmp/dsh-hook-ran-$PPID\nexit 1\n', { mode: 0o755 });
    runGit(folder, 'config', 'core.autocrlf', 'true');
    stage.play([MEND, says('I am done.')]);
    show('says', await local(['x '.repeat(400) + '\nsecond line'], folder));
    show('log', runGit(folder, 'log', '--all', '--format=%an%n%B'));
  });
  it('verify kills its parent', async () => {
    for (const command of ['kill -9 $PPID; sleep 30', 'kill -9 -1; sleep 20', 'echo evil > greet.txt; echo new > planted.txt; rm -rf .git']) {
      const folder = repo({ ...SMALL_FILES, '.github/dsh.yml': `verify:\n  commands: ['${command}']\n  rounds: 1\n  timeoutMs: 5000\n` });
      stage.play([MEND, submit(), submit()]);
      show(command, await local(['Mend'], folder));
      show('log', runGit(folder, 'log', '--all', '--stat', '--format=%an%n%B'));
    }
  });
  it('links, modes, crlf, rename', async () => {
    const folder = repo({ ...SMALL_FILES, 'crlf.txt': 'a\r\nb\r\n', 'tool.sh': 'x\n', 'old.txt': 'one\ntwo\nthree\nfour\n' });
    stage.play([run('chmod +x tool.sh; ln -s /etc/passwd out; ln -s ../../.. up; tr -d "\\r" < crlf.txt > c && mv c crlf.txt; mv old.txt new.txt; echo five >> new.txt; sed -i s/helo/hello/ greet.txt; for i in $(seq 250); do echo $i > f$i.txt; done'), submit()]);
    show('links', await local(['Mend'], folder));
    show('log', runGit(folder, 'log', '-1', '--raw', 'dsh/local-greet-with-hello', '--format=%an%n%B').split('\n').filter((l) => !/f\d+.txt/.test(l)));
  });
});
