import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { stageChanges } from '../../src/github/tree/stage-changes.ts';
import { unifiedDiff } from '../../src/github/tree/unified-diff.ts';
import { GitFixture, runGit } from '../github/support/git-fixture.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

/*
 * Ways out that a hostile command may try, and what the host does with the tree it leaves. The rest stands elsewhere:
 * sandbox (capabilities, /proc/1/root, devices, engine socket, the agent's memory, files and environment, forged
 * frames), container-bash (fork bomb, memory, a gigabyte of output, environment), container-file-system (links and hard
 * links), egress-container (metadata address, the host and names through the proxy), github/tree-changes (planted git
 * directories, pipes, devices, links), sibling-containers (full access).
 */

const isRoot = process.getuid?.() === 0;
const benches: SandboxBench[] = [];
const undo: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.close()));
  for (const step of undo.splice(0)) await step();
});

async function open(...args: Parameters<typeof openBench>): Promise<SandboxBench> {
  const bench = await openBench(...args);
  benches.push(bench);
  return bench;
}

async function output(bench: SandboxBench, command: string, timeoutMs = 20_000): Promise<string> {
  const bash = bench.bash();
  const { stdout, stderr } = await bash.run(bash.resolve({ command, timeoutMs }));
  return stdout.text + stderr.text;
}

/** How many of the tricks worked. */
async function worked(bench: SandboxBench, tricks: readonly string[]): Promise<string[]> {
  const lines = tricks.map((trick, index) => `(${trick}) >/dev/null 2>&1 && echo ${index}`);
  return (await output(bench, `${lines.join('\n')}\ntrue`))
    .trim()
    .split('\n')
    .flatMap((index) => (index === '' ? [] : [tricks[Number(index)] ?? index]));
}

async function openCheckout(files: Record<string, string>) {
  const fixture = new GitFixture();
  undo.push(() => fixture.close());
  fixture.commit(files);
  const checkout = await fixture.open();
  return { checkout, fixture };
}

describe('bot-security', () => {
  it('X2 neither mounts, nor the kernel’s files, nor the agent can be turned', async () => {
    const { checkout } = await openCheckout({ 'a.txt': 'one\n' });
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const agent = '$(pgrep -f "^/opt/dsh/node" | tail -n 1)';

    const successes = await worked(bench, [
      'mount -o remount,rw /workspace/.git',
      'mount -o remount,rw /',
      'mount --bind / /tmp',
      'umount /workspace/.git',
      'umount -l /proc',
      'mount -t proc proc /tmp',
      'nsenter -t 1 -m true',
      'unshare -m true',
      'echo x > /proc/sys/kernel/core_pattern',
      'echo b > /proc/sysrq-trigger',
      'head -c 1 /proc/kcore',
      'mkdir /sys/fs/cgroup/x',
      'echo max > /sys/fs/cgroup/pids.max',
      'echo max > /sys/fs/cgroup/memory.max',
      'ls /sys/firmware/* | grep .',
      'find /dev -type b | grep .',
      'mknod /tmp/null c 1 3',
      'echo -500 > /proc/self/oom_score_adj',
      `python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).ptrace(16, int("'${agent}'"), 0, 0) != 0)'`,
      `touch /proc/${agent}/root/x`,
      `cd /proc/${agent}/cwd`,
      `echo x > /proc/${agent}/comm`,
      'echo x > /opt/dsh/sandbox-agent.mjs',
      'rm /opt/dsh/node',
      'echo x > /workspace/.git/config',
      'chmod 777 /workspace/.git/HEAD',
      'ln -sf /etc /workspace/.git/hooks',
    ]);

    expect(successes).toEqual([]);
    expect(runGit(checkout.workTree, `--git-dir=${checkout.gitDir}`, 'log', '--format=%s')).toBe('change');
  }, 60_000);

  it('X2 reaches no port of this machine, no abstract socket and no other container', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    const hidden = createServer((_request, response) => response.end('reached'));
    undo.push(
      () => server.close(),
      () => hidden.close(),
    );
    const name = `dsh-test-${process.pid}`;
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    await new Promise<void>((resolve) => hidden.listen(`\0${name}`, resolve));
    const { port } = server.address() as AddressInfo;
    const hosts = Object.values(networkInterfaces()).flatMap((list) => list!.map(({ address }) => address));
    const [one, other] = await Promise.all([open(), open()]);
    const otherBash = other.bash();
    otherBash.start(
      otherBash.resolve({ command: 'echo mine > /tmp/mine; python3 -m http.server 8123 --bind 0.0.0.0' }),
    );

    const tries = [...hosts, 'host.docker.internal', '172.17.0.1', '169.254.169.254'].map(
      (host) => `python3 -c 'import socket; socket.create_connection(("${host}", ${port}), 1)'`,
    );
    const successes = await worked(one, [
      ...tries,
      `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("\\0${name}")'`,
      'python3 -c \'import socket; socket.create_connection(("127.0.0.1", 8123), 1)\'',
      'ls /tmp/mine',
      'pgrep -f "[h]ttp.server"',
      "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
    ]);

    expect(tries.length).toBeGreaterThan(3);
    expect(await fetch(`http://127.0.0.1:${port}`).then((answer) => answer.text())).toBe('reached');
    expect(successes).toEqual([]);
  }, 60_000);

  it('X2 filling /tmp and leaving set-id files harms nobody', async () => {
    const bench = await open({ limits: { tmpBytes: 8 * 1024 ** 2 } });

    const full = await output(bench, 'head -c 64M /dev/zero > /tmp/full; stat -c %s /tmp/full');
    const after = await output(bench, 'cp /usr/bin/id ./id; chmod 6755 ./id; ./id -u; ./id -un; echo ok');

    expect(full).toMatch(/No space left on device/);
    expect(Number(full.match(/^\d+$/m)![0])).toBeLessThanOrEqual(8 * 1024 ** 2);
    expect(after).toMatch(/ok\n/);
    expect(after).toContain(`${bench.sandbox.uid}\n`);
    expect(statSync(join(bench.tree, 'id')).uid).toBe(bench.sandbox.uid);
    expect(await output(bench, 'rm /tmp/full && echo x > /tmp/y && cat /tmp/y')).toBe('x\n');
  }, 60_000);

  it('X10 file tools write through no folder that is swapped for a link at the same moment', async () => {
    const { checkout } = await openCheckout({ 'a.txt': 'one\n' });
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const before = readFileSync(join(checkout.gitDir, 'HEAD'), 'utf8');
    const bash = bench.bash();
    const swapping = bash.start(
      bash.resolve({
        command: `mkdir real; while :; do mv -T real dir; mv -T dir real; ln -sfn /etc dir; rm dir
          ln -sfn /workspace/.git dir; rm dir; ln -sfn /dsh dir; rm dir; done 2>/dev/null`,
      }),
    );

    const outcomes = await Promise.all(
      Array.from({ length: 150 }, async (_, index) => {
        try {
          const target = await bench.fs.resolve(index % 2 ? 'dir/HEAD' : 'dir/passwd');
          await bench.fs.writeText(target, 'swapped');
          return 'written';
        } catch (cause) {
          return (cause as { code: string }).code;
        }
      }),
    );
    swapping.kill();
    await swapping.done;

    expect(outcomes.every((outcome) => outcome === 'written' || outcome.startsWith('FS_'))).toBe(true);
    expect(readFileSync(join(checkout.gitDir, 'HEAD'), 'utf8')).toBe(before);
    expect(await output(bench, 'grep -c swapped /etc/passwd; find / -xdev -name ".dsh-*" 2>/dev/null')).toBe('0\n');
  }, 60_000);

  it('X10 the host reads nothing behind links that are swapped while it reads the tree', async () => {
    const { checkout } = await openCheckout({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' });
    const outside = mkdtempSync(join(tmpdir(), 'dsh-outside-'));
    undo.push(() => rmSync(outside, { recursive: true, force: true }));
    for (const name of ['b.txt', 'c.txt']) execFileSync('sh', ['-c', `echo SECRET > '${join(outside, name)}'`]);
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const bash = bench.bash();
    const swapping = bash.start(
      bash.resolve({
        command: `mv dir real; while :; do mv -T real dir; mv -T dir real; ln -sfn ${outside} dir; rm dir
          ln -sfn ${outside}/c.txt a.txt; rm a.txt; echo x > a.txt; done 2>/dev/null`,
      }),
    );

    const contents: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const { changes } = await readTreeChanges(checkout);
      for (const change of changes) if ('bytes' in change) contents.push(change.bytes.toString());
    }
    swapping.kill();
    await swapping.done;

    expect(contents.length).toBeGreaterThan(10);
    expect(contents.filter((content) => content.includes('SECRET'))).toEqual([]);
  }, 60_000);

  it('X10 the host runs nothing that a command planted for its git', async () => {
    const { checkout } = await openCheckout({ 'a.txt': 'one\n' });
    const proof = join(tmpdir(), `dsh-proof-${process.pid}`);
    undo.push(() => rmSync(proof, { force: true }));
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const evil = `touch ${proof}`;

    await output(
      bench,
      `echo two > a.txt; printf '* filter=evil diff=evil merge=evil\\n' > .gitattributes
       for d in nested GIT~1 .GIT; do mkdir -p "$d" && git init -q "$d"; done
       for c in nested/.git/config GIT~1/.git/config .gitconfig .config/git/config; do mkdir -p "$(dirname $c)"
         git config -f $c core.fsmonitor '${evil}'; git config -f $c core.hooksPath hooks
         git config -f $c filter.evil.clean '${evil}'; git config -f $c filter.evil.process '${evil}'
         git config -f $c diff.evil.command '${evil}'; git config -f $c diff.external '${evil}'
         git config -f $c core.sshCommand '${evil}'; git config -f $c core.pager '${evil}'; done
       git config -f .gitmodules submodule.x.path nested; git config -f .gitmodules submodule.x.url 'ext::sh -c "${evil}"'
       git config -f .gitmodules submodule.x.update '!${evil}'
       mkdir hooks; for h in pre-commit post-checkout post-index-change fsmonitor-watchman reference-transaction; do
         printf '#!/bin/sh\\n${evil}\\n' > hooks/$h; chmod +x hooks/$h; done; true`,
    );
    const { changes } = await readTreeChanges(checkout);
    const staged = await stageChanges(checkout, changes);
    const diff = await unifiedDiff(checkout.gitDir, staged);

    expect(diff).toContain('+two');
    expect(changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', '.gitattributes', '.gitmodules']));
    expect(changes.filter(({ path }) => /(^|\/)\.git\//i.test(path))).toEqual([]);
    expect(existsSync(proof)).toBe(false);
  }, 60_000);

  (isRoot ? it.each([0, 1000, 1001]) : it.skip.each([0]))(
    'X2 the host reads, commits and deletes what a umask of 077 leaves in a tree of uid %d',
    async (uid) => {
      const { checkout } = await openCheckout({ 'a.txt': 'one\n', 'old/b.txt': 'gone\n' });
      const parent = join(checkout.workTree, '..');
      execFileSync('chown', ['-R', `${uid}:${uid}`, parent]);
      const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });

      await output(
        bench,
        'umask 077; mkdir -p deep/er; echo x > deep/er/f; rm -r old; echo two > a.txt; chmod 500 deep/er deep',
      );
      await bench.sandbox.close();

      const { changes, leftOut } = await readTreeChanges(checkout);
      const staged = await stageChanges(checkout, changes);
      expect(leftOut).toEqual([]);
      expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        'modified a.txt',
        'added deep/er/f',
        'deleted old/b.txt',
      ]);
      expect(await unifiedDiff(checkout.gitDir, staged)).toContain('+two');
      const { uid: owner } = statSync(join(checkout.workTree, 'deep'));
      expect(owner).toBe(uid === 0 ? 10_001 : uid);
      chownSync(parent, owner, owner);
      rmSync(checkout.workTree, { recursive: true });
      expect(existsSync(checkout.workTree)).toBe(false);
    },
    60_000,
  );
});

describe('bash', () => {
  it('N8 git looks and does not change: no lock is taken, commit, fetch and push fail', async () => {
    const { checkout, fixture } = await openCheckout({ 'a.txt': 'one\n' });
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const index = statSync(join(checkout.gitDir, 'index')).mtimeMs;

    const looked = await output(
      bench,
      'echo two > a.txt; echo $GIT_OPTIONAL_LOCKS; git status --short; git diff --stat | tail -1; git log --format=%s; git blame -s a.txt | wc -l',
    );
    const changed = await worked(bench, [
      'git add a.txt',
      'git commit -qam x',
      'git fetch',
      `git fetch ${fixture.origin}`,
      'git push origin HEAD:refs/heads/x',
      'git checkout -q -b other',
      'git stash',
      'git config user.name x',
    ]);

    expect(looked).toBe('0\n M a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\nchange\n1\n');
    expect(changed).toEqual([]);
    expect(statSync(join(checkout.gitDir, 'index')).mtimeMs).toBe(index);
    expect(fixture.git('branch', '--list')).toBe('* main');
  }, 60_000);
});

describe('filesystem', () => {
  it('N6 a push leaves the running tree as it is, and a refreshed file makes an edit stale', async () => {
    const { checkout, fixture } = await openCheckout({ 'a.txt': 'one\n' });
    const bench = await open({ tree: checkout.workTree, gitDir: checkout.gitDir });
    const target = await bench.fs.resolve('a.txt');
    const { version } = (await bench.fs.stat(target))!;

    fixture.commit({ 'a.txt': 'pushed\n' });
    await fixture.open({ kind: 'branch' }, { session: 's2' });

    expect(await bench.fs.readText(target)).toBe('one\n');
    const refreshed = await bench.fs.editText(
      target,
      { oldString: 'one', newString: 'mine', replaceAll: false },
      { version },
    );
    await output(bench, 'echo pushed > fresh && mv fresh a.txt');
    const edit = bench.fs.editText(
      target,
      { oldString: 'pushed', newString: 'x', replaceAll: false },
      { version: refreshed.version },
    );
    await expect(edit).rejects.toMatchObject({ code: 'FS_STALE_VERSION' });
    expect(readFileSync(join(checkout.workTree, 'a.txt'), 'utf8')).toBe('pushed\n');
  }, 60_000);
});
