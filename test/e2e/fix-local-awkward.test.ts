import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refuses, says } from '../../src/demo/model/reply.ts';
import { runGit, writeFiles } from '../github/support/git-fixture.ts';
import { runDsh } from './support/run-dsh.ts';
import { MEND, SMALL_FILES, run, submit } from './support/small-repository.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** `dsh fix --local` in checkouts of every form. */
let stage: Stage;
const folders: string[] = [];
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  expect(await stage.close()).toEqual([]);
});

const newFolder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'dsh-local-')));
  return folders.at(-1)!;
};
const checkout = (files: Record<string, string> = SMALL_FILES, ...init: string[]) => {
  const folder = newFolder();
  runGit(folder, 'init', '--quiet', '--initial-branch=trunk', ...init);
  commit(folder, files);
  return folder;
};
const commit = (folder: string, files: Record<string, string>) => {
  writeFiles(folder, files);
  runGit(folder, 'add', '--all');
  runGit(folder, 'commit', '--quiet', '-m', 'more');
};
const local = (cwd: string, task = 'Mend the greeting') => {
  const { GITHUB_API_URL: _api, GITHUB_SERVER_URL: _server, ...variables } = commonVariables(stage);
  return runDsh(['fix', '--local', task], variables, undefined, undefined, cwd);
};
const BRANCH = 'dsh/local-greet-with-hello';

describe('bot-fix', () => {
  it.each([
    ['on no branch', (folder: string) => (runGit(folder, 'checkout', '--quiet', '--detach'), folder)],
    [
      'that is a linked work tree',
      (folder: string) => {
        const linked = join(newFolder(), 'linked');
        runGit(folder, 'worktree', 'add', '--quiet', '-b', 'side', linked);
        commit(linked, { 'side.txt': 's\n' });
        return linked;
      },
    ],
    [
      'that is shallow',
      (folder: string) => {
        commit(folder, { 'side.txt': 's\n' });
        const up = newFolder();
        runGit(up, 'clone', '--quiet', '--depth=1', `file://${folder}`, 'clone');
        return join(up, 'clone');
      },
    ],
  ])('U2 a checkout %s gets its branch, on its own HEAD', async (_form, form) => {
    const folder = form(checkout());
    stage.play([MEND, submit()]);

    const { code } = await local(folder);

    expect(code).toBe(0);
    expect(runGit(folder, 'rev-parse', `${BRANCH}~1`)).toBe(runGit(folder, 'rev-parse', 'HEAD'));
    expect(runGit(folder, 'show', `${BRANCH}:greet.txt`)).toBe('hello world');
  });

  it('U2 a branch in the way of ours and objects of another hash are told before anything is spent', async () => {
    const blocked = checkout();
    runGit(blocked, 'branch', 'dsh');
    const before = stage.model.requests.length;

    const inTheWay = await local(blocked);
    const other = await local(checkout(SMALL_FILES, '--object-format=sha256'));

    expect(inTheWay.stderr).toContain('There can be no branch `dsh/local` beside `dsh`.');
    expect(other.stderr).toContain('by another hash than SHA-1');
    expect(stage.model.requests).toHaveLength(before);
  });

  it('U1 U2 hundreds of files, links to anywhere, modes, line ends and a rename with an edit all arrive', async () => {
    const odd = { 'crlf.txt': 'a\r\nb\r\n', 'tool.sh': 'x\n', 'old.txt': 'one\ntwo\nthree\nfour\n' };
    const folder = checkout({ ...SMALL_FILES, ...odd });
    runGit(folder, 'config', 'core.autocrlf', 'true');
    const steps = [
      ...['chmod +x tool.sh', 'ln -s /etc/passwd out', `tr -d '\\r' < crlf.txt > c`, 'mv c crlf.txt'],
      ...['mv old.txt new.txt', 'echo five >> new.txt', 'sed -i s/helo/hello/ greet.txt'],
      'for i in $(seq 250); do echo $i > f$i.txt; done',
    ];
    stage.play([run(steps.join(' && ')), submit()]);

    const { code } = await local(folder);

    expect(code).toBe(0);
    const listed = runGit(folder, 'ls-tree', '-r', BRANCH);
    expect(listed).toMatch(/^100755 blob \w+\ttool\.sh$/m);
    expect(listed).toMatch(/^120000 blob \w+\tout$/m);
    expect(listed.match(/\tf\d+\.txt$/gm)).toHaveLength(250);
    expect(listed).not.toContain('old.txt');
    expect(runGit(folder, 'show', `${BRANCH}:out`)).toBe('/etc/passwd');
    expect(runGit(folder, 'show', `${BRANCH}:crlf.txt`)).toBe('a\nb');
    expect(runGit(folder, 'fsck', '--strict')).toBe('');
  });

  it('U4 a task of many lines is no title of many lines', async () => {
    const folder = checkout();
    stage.play([MEND, says('I am done.'), says('I am done.'), says('I am done.')]);

    const { code } = await local(folder, `${'mend it '.repeat(100)}\nsecond line`);

    expect(code).toBe(0);
    const [title = '', next] = runGit(folder, 'log', '-1', '--format=%B', '--branches=dsh/*').split('\n');
    expect(title).toMatch(/^mend it mend it .*…$/);
    expect(next).toBe('');
  });

  it('U8 a turn that fails gives its changes as a patch: there is no retry without GitHub', async () => {
    const folder = checkout();
    stage.play([MEND, refuses(401, 'no such key')]);

    const { code, stdout } = await local(folder);

    expect(code).toBe(1);
    expect(stdout).toContain('+hello world');
    expect(stdout).not.toContain('/dsh retry');
    expect(runGit(folder, 'branch', '--list', 'dsh/*')).toBe('');
  });
});
