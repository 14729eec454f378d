import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { BashExecRequest, BashRunResult } from '../../src/seams/bash/executor.ts';
import { bashTool } from '../../src/seams/bash/bash-tool.ts';
import { editTool } from '../../src/seams/filesystem/edit-tool.ts';
import { readTool } from '../../src/seams/filesystem/read-tool.ts';
import { SandboxPolicyService } from '../../src/seams/sandbox/sandbox-policy.ts';
import type { SandboxMode } from '../../src/seams/sandbox/types.ts';
import { createToolBench } from '../seams/tool-bench.ts';
import { makeTree, openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

const isRoot = process.getuid?.() === 0;
const benches: SandboxBench[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(...args: Parameters<typeof openBench>): Promise<SandboxBench> {
  const bench = await openBench(...args);
  benches.push(bench);
  return bench;
}

async function openOwned(uid: number, mode: 'read-only' | 'workspace-write', files: Record<string, string>) {
  const tree = await makeTree(files);
  folders.push(tree);
  if (isRoot) execFileSync('chown', ['-R', `${uid}:${uid}`, tree]);
  return open({ mode, tree });
}

const policyOf = (mode: SandboxMode) => ({ mode, workspaceRoot: '/workspace' });

function run(
  bench: SandboxBench,
  mode: SandboxMode,
  command: string,
  request: Partial<BashExecRequest> = {},
): Promise<BashRunResult> {
  const bash = bench.bash();
  return bash.run(bash.resolve({ command, sandboxPolicy: policyOf(mode), ...request }));
}

async function volumesOf(bench: SandboxBench): Promise<string[]> {
  const infos = await Promise.all((await bench.containers()).map(({ Id }) => bench.docker.getContainer(Id).inspect()));
  return infos.map(({ Mounts }) => Mounts.find(({ Destination }) => Destination === '/tmp')!.Name!);
}

async function hasVolume(bench: SandboxBench, name: string): Promise<boolean> {
  return bench.docker
    .getVolume(name)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

describe('sandbox', () => {
  it('N3 B4 runs calls of different modes side by side, each with its own mounts', async () => {
    const bench = await open({ mode: 'read-only' });

    const [standing, wider, again] = await Promise.all([
      run(bench, 'read-only', 'touch standing'),
      run(bench, 'workspace-write', 'touch wider'),
      run(bench, 'workspace-write', 'touch again'),
    ]);

    expect(standing.sandbox).toEqual({ mode: 'read-only', denied: true, enforcement: 'full' });
    expect(wider.sandbox).toEqual({ mode: 'workspace-write', denied: false, enforcement: 'full' });
    expect(again.exitCode).toBe(0);
    expect(['standing', 'wider', 'again'].map((name) => existsSync(join(bench.tree, name)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(await bench.containers()).toHaveLength(2);
  }, 60_000);

  it('N3 narrows a call below the mode of its session', async () => {
    const bench = await open({ mode: 'workspace-write' }, { 'a.txt': 'one' });

    const result = await run(bench, 'read-only', 'echo two > a.txt');

    expect(result.sandbox).toMatchObject({ mode: 'read-only', denied: true });
    expect(readFileSync(join(bench.tree, 'a.txt'), 'utf8')).toBe('one');
  }, 60_000);

  it('N3 shares tree, /tmp and labels with the sibling, and takes it away with the session', async () => {
    const bench = await open({ mode: 'read-only' });
    await run(bench, 'read-only', 'echo from-standing > /tmp/note');

    const read = await run(bench, 'workspace-write', 'cat /tmp/note; echo from-sibling > /tmp/note');

    expect(read.stdout.text).toBe('from-standing\n');
    expect((await run(bench, 'read-only', 'cat /tmp/note')).stdout.text).toBe('from-sibling\n');
    const volumes = await volumesOf(bench);
    expect([volumes.length, new Set(volumes).size]).toEqual([2, 1]);
    const labels = (await bench.containers()).map(({ Labels }) => Labels['dsh.boot']);
    expect(labels).toEqual(Array(2).fill(bench.options.labels.boot));
    await bench.sandbox.close();
    expect(await bench.containers()).toEqual([]);
    expect(await hasVolume(bench, volumes[0]!)).toBe(false);
    await expect(run(bench, 'workspace-write', 'true')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  }, 60_000);

  it('N13 starts a lost sibling again, twice, and leaves the container of the session alone', async () => {
    const bench = await open({ mode: 'read-only' });
    await run(bench, 'read-only', 'echo kept > /tmp/note');
    const [standing] = await bench.containers();

    for (const loss of ['first', 'second', 'third']) {
      const running = run(bench, 'workspace-write', `touch ${loss}; cat /tmp/note; sleep 71`);
      running.catch(() => {});
      while (!existsSync(join(bench.tree, loss))) await sleep(50);
      const sibling = (await bench.containers()).find(({ Id }) => Id !== standing!.Id);
      await bench.docker.getContainer(sibling!.Id).remove({ force: true });
      await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    }

    await expect(run(bench, 'workspace-write', 'touch fourth')).rejects.toThrow(/lost 3 times/);
    expect(existsSync(join(bench.tree, 'fourth'))).toBe(false);
    expect((await run(bench, 'read-only', 'cat /tmp/note')).stdout.text).toBe('kept\n');
    expect((await bench.containers()).map(({ Id }) => Id)).toEqual([standing!.Id]);
  }, 60_000);

  (isRoot ? it : it.skip)(
    'N2 gives back what a call with full access left in the tree, without set-id bits, before it returns',
    async () => {
      const bench = await openOwned(4321, 'workspace-write', { 'a.txt': 'one', 'untouched.txt': 'same' });
      const before = await bench.fs.stat(await bench.fs.resolve('untouched.txt'));
      const command = `id -u; touch /etc/made && echo root layer; mkdir -p deep/er && cp /bin/true deep/er/suid
        chmod 6755 deep/er/suid; umask 077; echo two > a.txt; chown 0:0 a.txt; ln -s /etc/passwd link
        printf x > "$(printf 'odd\\377name')"; chmod 700 deep; chown 77:77 deep; chown 0:0 .
        (setsid bash -c 'while :; do echo late > late; chmod 4755 late; sleep 0.05; done' >/dev/null 2>&1 &)
        sleep 0.3; mknod dev c 1 3; mount -t tmpfs none /mnt; touch .git/x; exit 3`;

      const { exitCode, stdout, sandbox } = await run(bench, 'danger-full-access', command);

      expect([exitCode, stdout.text, sandbox?.mode]).toEqual([3, '0\nroot layer\n', 'danger-full-access']);
      const foreign = execFileSync('find', [bench.tree, '(', '!', '-uid', '4321', '-o', '-perm', '/6000', ')']);
      expect(foreign.toString()).toBe('');
      expect(statSync(join(bench.tree, 'deep/er/suid')).mode & 0o7777).toBe(0o755);
      expect([existsSync(join(bench.tree, 'dev')), lstatSync(join(bench.tree, 'link')).uid]).toEqual([false, 4321]);
      rmSync(join(bench.tree, 'late'));
      await sleep(300);
      expect(existsSync(join(bench.tree, 'late'))).toBe(false);
      expect(await bench.containers()).toHaveLength(1);
      expect((await run(bench, 'workspace-write', 'cat a.txt; echo three > a.txt')).stdout.text).toBe('two\n');
      expect(await bench.fs.stat(await bench.fs.resolve('untouched.txt'))).toEqual(before);
      expect(existsSync('/etc/made')).toBe(false);
    },
    60_000,
  );

  it('N2 gives back what was left in /tmp, the home folder among it, and a tree of any depth', async () => {
    const bench = await open();
    const dive = `for i in $(seq 25); do mkdir ${'d'.repeat(200)} && cd ./${'d'.repeat(200)}; done; echo deep > deep.txt`;
    const made = await run(
      bench,
      'danger-full-access',
      `umask 077; mkdir -p /tmp/home/.cache/x; touch /tmp/root; ${dive}`,
    );
    expect(made.exitCode).toBe(0);

    const free = 'echo y > /tmp/home/.cache/y && rm -r /tmp/home/.cache /tmp/root && stat -c %u /tmp; rm -r d*; ls';

    expect((await run(bench, 'workspace-write', free)).stdout.text).toBe('0\n');
  }, 60_000);

  (isRoot ? it : it.skip)(
    'N2 gives back also after a timeout, a lost container and the close of the session',
    async () => {
      const bench = await openOwned(4321, 'workspace-write', {});
      const foreign = () => execFileSync('find', [bench.tree, '!', '-uid', '4321']).toString();
      const made = async (name: string) => {
        while (!existsSync(join(bench.tree, name))) await sleep(50);
      };

      const late = await run(bench, 'danger-full-access', 'touch a; chown 0 .; sleep 72', { timeoutMs: 500 });
      expect([late.timedOut, foreign()]).toEqual([true, '']);

      const lost = run(bench, 'danger-full-access', 'touch b; sleep 73');
      lost.catch(() => {});
      await made('b');
      const { Id } = (await bench.containers()).find(({ Created }, _, all) =>
        all.every((other) => other.Created <= Created),
      )!;
      await bench.docker.getContainer(Id).kill();
      await expect(lost).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
      expect(foreign()).toBe('');

      const open = run(bench, 'danger-full-access', 'touch c; sleep 74');
      open.catch(() => {});
      await made('c');
      await bench.sandbox.close();
      expect([foreign(), await bench.containers()]).toEqual(['', []]);
      await expect(open).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    },
    90_000,
  );

  it('N2 B13 asks through the approval, gives full access to that call only, and edits go the same way', async () => {
    const bench = await open({ mode: 'read-only' }, { 'a.txt': 'one' });
    if (isRoot) chownSync(join(bench.tree, 'a.txt'), bench.sandbox.uid, bench.sandbox.uid);
    const tools = await createToolBench();
    const asked: string[] = [];
    tools.ctx.provide('bash', bench.bash());
    tools.ctx.provide('fs', bench.fs);
    tools.ctx.provide('sandboxPolicy', new SandboxPolicyService({ mode: 'read-only', workspaceRoot: '/workspace' }));
    tools.ctx.provide('approval', {
      request: async ({ reason }: { reason: string }) => {
        asked.push(reason);
        return reason.includes('no good reason') ? 'rejected' : 'allowed-once';
      },
    } as never);
    for (const plugin of [bashTool, readTool, editTool]) await tools.ctx.plugin(plugin);
    const bash = { command: 'touch /usr/made made; id -u', description: 'write' };
    const full = { sandbox_permissions: 'danger-full-access', justification: 'a package is missing' };
    const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };

    const refused = await tools.failure('bash', { ...bash, ...full, justification: 'no good reason' });
    const granted = await tools.call('bash', { ...bash, ...full });
    const next = await tools.call('bash', bash);
    const edited = await tools.call('edit', { ...edit, ...full, sandbox_permissions: 'workspace-write' });
    const editedAgain = await tools.failure('edit', { ...edit, old_string: 'two', new_string: 'three' });

    expect(refused.code).toBe('SANDBOX_ESCALATION_REJECTED');
    expect(granted.content).toEqual([{ type: 'text', text: '0' }]);
    expect(JSON.stringify(next)).toMatch(/Read-only file system/);
    expect(edited.isError).toBe(false);
    expect(editedAgain.code).toBe('FS_SANDBOX_DENIED');
    expect(readFileSync(join(bench.tree, 'a.txt'), 'utf8')).toBe('two');
    expect(statSync(join(bench.tree, 'made')).uid).toBe(bench.sandbox.uid);
    expect(asked).toEqual([
      'escalate sandbox to danger-full-access: no good reason',
      'escalate sandbox to danger-full-access: a package is missing',
      'escalate sandbox to workspace-write: a package is missing',
    ]);
  }, 90_000);

  it('N2 tells the version that a file has once it is given back', async () => {
    const bench = await open({ mode: 'workspace-write' });
    const target = await bench.fs.resolve('new.txt');

    const written = await bench.fs.writeText(target, 'x', undefined, undefined, policyOf('danger-full-access'));

    expect((await bench.fs.stat(target))?.version).toBe(written.version);
    expect((await run(bench, 'workspace-write', 'stat -c %u new.txt')).stdout.text).toBe(`${bench.sandbox.uid}\n`);
  }, 60_000);
});
