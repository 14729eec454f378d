import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { git } from '../../src/github/git/git.ts';
import type { SetupReport, SetupRequest } from '../../src/bot/job/setup-report.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import type { ConfigFile } from '../../src/config/config-file.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import { placePaths } from '../../src/docker/setup/place-paths.ts';
import { planSetup } from '../../src/docker/setup/plan-setup.ts';
import type { Checkout } from '../../src/github/git/checkout.ts';
import type { CheckoutTarget } from '../../src/github/git/resolve-target.ts';
import { setUpTree } from '../../src/room/set-up-tree.ts';
import { GitFixture } from '../github/support/git-fixture.ts';
import { containersOf, IMAGE } from './support/sandbox-bench.ts';

const docker = connectEngine(process.env['DOCKER_HOST']);
let fixture: GitFixture;
let ran: string[];
let session = 0;
beforeEach(() => {
  fixture = new GitFixture();
  ran = [];
});
afterEach(async () => {
  expect(await containersOf(docker, 's1')).toEqual([]);
  for (const folder of ['egress', 'setup/.trees']) {
    const path = join(fixture.dataDir, folder);
    if (existsSync(path)) expect([folder, readdirSync(path)]).toEqual([folder, []]);
  }
  fixture.close();
});

const SETUP = 'sh setup.sh';
/** A package manager of three lines: what the lockfile says is "installed". */
const FILES = {
  '.gitignore': 'node_modules/\n*.log\n',
  'package-lock.json': 'dep 1\n',
  'setup.sh':
    'mkdir -p node_modules/.bin sub/node_modules\ncp package-lock.json node_modules/dep\nln -s ../dep node_modules/.bin/dep\ntouch sub/node_modules/x kept.txt a.log\n',
  'sub/a.txt': 'a\n',
};

interface Call {
  target?: CheckoutTarget;
  profile?: SetupRequest['profile'];
  config?: ConfigFile;
  signal?: AbortSignal;
  baseBranch?: string;
}
async function setUp(call: Call = {}): Promise<{ checkout: Checkout; report: SetupReport | undefined }> {
  const checkout = await fixture.open(call.target, { session: `s${(session += 1)}` });
  const report = await setUpTree(
    {
      session: 's1',
      checkout,
      config: mergeConfig({ setup: { commands: [SETUP] } }, call.config ?? {}),
      profile: call.profile ?? 'trusted',
      baseBranch: call.baseBranch ?? 'main',
      signal: call.signal ?? new AbortController().signal,
      onCommand: (command) => ran.push(command),
    },
    {
      ...{ docker, image: IMAGE, dataDir: fixture.dataDir, socketFolder: join(fixture.dataDir, 'egress') },
      ...{ boot: 'b', now: () => new Date(), log: () => {} },
    },
  );
  return { checkout, report };
}

const read = ({ workTree }: Checkout, path: string) => readFileSync(join(workTree, path), 'utf8');

/** A pull request whose head changes these files, checked out from main. */
function pull(files: Record<string, string>): CheckoutTarget {
  fixture.git('checkout', '--quiet', '-b', `head-${session}`);
  const sha = fixture.commit(files);
  fixture.git('update-ref', 'refs/pull/7/head', sha);
  fixture.git('checkout', '--quiet', 'main');
  return { kind: 'pull', number: 7, baseBranch: 'main', headSha: sha };
}

describe('bot-fix', () => {
  it('C6 runs setup in a tree of its own and gives the session what git ignores of it', async () => {
    fixture.commit(FILES);
    const { checkout, report } = await setUp();

    expect(report).toEqual({ outcome: 'ready', requests: [] });
    expect(read(checkout, 'node_modules/dep')).toBe('dep 1\n');
    expect(lstatSync(join(checkout.workTree, 'node_modules/.bin/dep')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(checkout.workTree, 'sub/node_modules/x'))).toBe(true);
    expect(existsSync(join(checkout.workTree, 'a.log'))).toBe(true);
    expect(existsSync(join(checkout.workTree, 'kept.txt'))).toBe(false);
    const status = await git(['status', '--porcelain'], checkout);
    expect(status.stdout.toString()).toBe('');
  });

  it('C6 a later session gets a copy without a run, and what it does to it is its own', async () => {
    fixture.commit(FILES);
    const first = await setUp();
    writeFileSync(join(first.checkout.workTree, 'node_modules/dep'), 'tampered\n');
    fixture.commit({ 'b.txt': 'another commit, the same lockfile\n' });

    const second = await setUp();

    expect(second.report?.outcome).toBe('ready');
    expect(ran).toEqual([SETUP]);
    expect(read(second.checkout, 'node_modules/dep')).toBe('dep 1\n');
    const inode = ({ checkout }: { checkout: Checkout }) => statSync(join(checkout.workTree, 'node_modules/dep'));
    expect(inode(second).ino).not.toBe(inode(first).ino);
    expect(inode(second).nlink).toBe(1);
  });

  it('C6 another lockfile, other commands and another branch are other results', async () => {
    fixture.commit(FILES);
    await setUp();
    await setUp({ config: { setup: { commands: [SETUP, 'true'] } } });
    fixture.git('branch', 'release');
    await setUp({ target: { kind: 'branch', branch: 'release' }, baseBranch: 'release' });
    fixture.commit({ 'package-lock.json': 'dep 2\n' });
    const { checkout } = await setUp();

    expect(ran).toEqual([SETUP, SETUP, 'true', SETUP, SETUP]);
    expect(read(checkout, 'node_modules/dep')).toBe('dep 2\n');
  });

  it('C6 keeps the five results last used', async () => {
    fixture.commit(FILES);
    for (let count = 0; count < 7; count += 1) {
      fixture.commit({ 'package-lock.json': `dep ${count}\n` });
      await setUp();
    }
    expect(readdirSync(join(fixture.dataDir, 'setup', '7'))).toHaveLength(5);
    await setUp();
    expect(ran).toHaveLength(7);
  });

  it('C6 a pull request with the lockfile of its base gets the base’s result, run on the base’s tree', async () => {
    fixture.commit(FILES);
    const target = pull({ 'setup.sh': 'mkdir node_modules; echo planted > node_modules/dep\n' });

    const { checkout } = await setUp({ target, profile: 'untrusted' });

    expect(read(checkout, 'node_modules/dep')).toBe('dep 1\n');
    expect(read(checkout, 'setup.sh')).toContain('planted');
    expect(read((await setUp()).checkout, 'node_modules/dep')).toBe('dep 1\n');
    expect(ran).toEqual([SETUP]);
  });

  it('C6 a head with another lockfile gets a run of its own, and no other session sees what it left', async () => {
    fixture.commit(FILES);
    const target = pull({ 'package-lock.json': 'dep 9\n' });

    expect(read((await setUp({ target })).checkout, 'node_modules/dep')).toBe('dep 9\n');
    expect(readdirSync(join(fixture.dataDir, 'setup'))).toEqual(['.trees']);
    expect(read((await setUp({ target })).checkout, 'node_modules/dep')).toBe('dep 9\n');
    expect(read((await setUp()).checkout, 'node_modules/dep')).toBe('dep 1\n');
    expect(ran).toEqual([SETUP, SETUP, SETUP]);
  });

  it('C6 a branch of the bot’s own fills no cache, though the job works on it', async () => {
    fixture.commit(FILES);
    fixture.git('checkout', '--quiet', '-b', 'dsh/issue-1');
    fixture.commit({ 'setup.sh': 'mkdir node_modules; echo planted > node_modules/dep\n' });
    fixture.git('checkout', '--quiet', 'main');

    const own = await setUp({ target: { kind: 'branch', branch: 'dsh/issue-1' } });

    expect(read(own.checkout, 'node_modules/dep')).toBe('dep 1\n');
    expect(read((await setUp()).checkout, 'node_modules/dep')).toBe('dep 1\n');
  });

  it('C6 failed setup is told with what it printed, keeps nothing, and leaves the tree as it was', async () => {
    fixture.commit({ ...FILES, 'setup.sh': 'mkdir node_modules; echo went wrong >&2; exit 3\n' });

    const { checkout, report } = await setUp({ config: { setup: { commands: [SETUP, 'never'] } } });

    expect(report).toEqual({
      outcome: 'failed',
      reason: 'Setup failed: sh setup.sh ended with exit code 3.',
      output: 'went wrong',
      requests: [],
    });
    expect(ran).toEqual([SETUP]);
    expect(existsSync(join(checkout.workTree, 'node_modules'))).toBe(false);
    expect(readdirSync(join(fixture.dataDir, 'setup'))).toEqual(['.trees']);
  });

  it('C6 setup that takes too long, or finds no engine, is told as well', async () => {
    fixture.commit(FILES);
    const slow = { setup: { commands: ['true', 'sleep 60'], timeoutMs: 1_500 } };
    expect((await setUp({ config: slow })).report?.reason).toBe('Setup failed: sleep 60 took longer than 1500 ms.');

    const deaf = connectEngine('unix:///nonexistent.sock');
    const checkout = await fixture.open();
    const request = {
      session: 's1',
      checkout,
      config: mergeConfig(slow),
      baseBranch: 'main',
      signal: new AbortController().signal,
    };
    const report = await setUpTree(
      { ...request, profile: 'trusted', onCommand: () => {} },
      {
        docker: deaf,
        image: IMAGE,
        dataDir: fixture.dataDir,
        socketFolder: fixture.dataDir,
        boot: 'b',
        now: () => new Date(),
        log: () => {},
      },
    );
    expect(report).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('No Docker engine answers') });
  });

  it('C6 an aborted job ends its setup', async () => {
    fixture.commit(FILES);
    const controller = new AbortController();
    const running = setUp({ config: { setup: { commands: ['sleep 60'] } }, signal: controller.signal });
    const started = setInterval(() => ran.length > 0 && controller.abort(), 20);
    await expect(running).rejects.toThrow();
    clearInterval(started);
  });

  it('C6 no setup configured is no setup, and nothing to tell', async () => {
    fixture.commit(FILES);
    expect((await setUp({ config: { setup: { commands: [] } } })).report).toBeUndefined();
  });

  it('C6 setup has the allow-list, and says what was refused', async () => {
    const command =
      'node -e "fetch(\'https://evil.example/\').catch((e) => console.log(e.cause.message))"; mkdir node_modules; env | grep -c ^HTTPS_PROXY > node_modules/n';
    fixture.commit(FILES);

    const { checkout, report } = await setUp({ config: { setup: { commands: [command] } } });

    expect(read(checkout, 'node_modules/n')).toBe('1\n');
    expect(report).toEqual({
      outcome: 'ready',
      requests: [{ host: 'evil.example', port: 443, verdict: 'refused', reason: 'not on the list', count: 1 }],
    });
  });

  it('C6 what a head no longer ignores is not put where it would be published', async () => {
    fixture.commit(FILES);
    const { checkout } = await setUp({ target: pull({ '.gitignore': '*.log\n' }) });
    expect(existsSync(join(checkout.workTree, 'node_modules'))).toBe(false);
    expect(existsSync(join(checkout.workTree, 'a.log'))).toBe(true);
  });

  it('C6 plans: the base’s result where lockfiles agree, else a run of the head for whom it may run', () => {
    expect(planSetup({ isTrusted: false, base: 'a', head: 'a' })).toBe('base');
    expect(planSetup({ isTrusted: true, base: 'a', head: 'b' })).toBe('head');
    expect(planSetup({ isTrusted: true, base: undefined, head: 'b' })).toBe('head');
    expect(planSetup({ isTrusted: false, base: 'a', head: 'b' })).toBe('left out');
    expect(planSetup({ isTrusted: false, base: undefined, head: 'b' })).toBe('left out');
  });

  it.each(['copy', 'move'] as const)(
    'C6 follows no link that somebody planted and replaces nothing, to %s',
    async (how) => {
      const folder = mkdtempSync(join(tmpdir(), 'dsh-place-'));
      const [from, to, outside] = ['from', 'to', 'outside'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      for (const path of [join(from, 'real/deps'), to, join(outside, 'deps')]) mkdirSync(path, { recursive: true });
      writeFileSync(join(outside, 'deps/secret'), 'secret');
      for (const [root, content] of [
        [from, 'theirs'],
        [to, 'ours'],
      ] as const) {
        mkdirSync(join(root, 'taken'));
        writeFileSync(join(root, 'taken/file'), content);
      }
      symlinkSync(outside, join(from, 'linked'));
      symlinkSync(outside, join(to, 'real'));
      symlinkSync(join(outside, 'deps/secret'), join(from, 'file'));

      const paths = [
        'real/deps/',
        'linked/deps/',
        'file',
        'taken',
        '../outside/deps',
        '/etc/passwd',
        'a/.git/hooks',
        '',
      ];
      await placePaths(paths, { from, to, into: 'work tree', how });

      expect(readdirSync(outside)).toEqual(['deps']);
      expect(readdirSync(join(outside, 'deps'))).toEqual(['secret']);
      expect(readdirSync(to).sort()).toEqual(['file', 'real', 'taken']);
      expect(readFileSync(join(to, 'taken/file'), 'utf8')).toBe('ours');
      expect(lstatSync(join(to, 'file')).isSymbolicLink()).toBe(true);
      rmSync(folder, { recursive: true });
    },
  );
});

describe('bot-security', () => {
  it('X4 an untrusted head that asks for other dependencies gets no setup, and is told so', async () => {
    fixture.commit(FILES);
    const { checkout, report } = await setUp({ target: pull({ 'package-lock.json': 'evil\n' }), profile: 'untrusted' });

    expect(ran).toEqual([]);
    expect(report).toMatchObject({ outcome: 'left out', reason: expect.stringContaining('not trusted') });
    expect(existsSync(join(checkout.workTree, 'node_modules'))).toBe(false);
  });
});
