import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { Readable } from 'node:stream';
import { connectEngine } from '../../src/docker/engine.ts';
import { openSandbox } from '../../src/docker/open-sandbox.ts';
import { containersOf, makeTree, openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

const docker = connectEngine(process.env['DOCKER_HOST']);
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

async function output(bench: SandboxBench, command: string): Promise<string> {
  const bash = bench.bash();
  const { stdout, stderr } = await bash.run(bash.resolve({ command }));
  return stdout.text + stderr.text;
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 100) throw new Error('it did not become true');
    await sleep(50);
  }
}

const isRoot = process.getuid?.() === 0;

/** The engine, but slow to take containers away. */
function removingSlowly(delayMs: number): Docker {
  const getContainer = (id: string) => {
    const container = docker.getContainer(id);
    const remove = container.remove.bind(container) as (options: object) => Promise<unknown>;
    return Object.assign(container, { remove: (options: object) => sleep(delayMs).then(() => remove(options)) });
  };
  return Object.assign(Object.create(docker), { getContainer }) as Docker;
}

describe('bot-security', () => {
  it('X2 runs as a user without capabilities, network, or a root file system to write', async () => {
    const bench = await open();

    const facts = await output(
      bench,
      `id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; ls /sys/class/net
       touch /x /etc/x /opt/dsh/x; touch /tmp/x && echo tmp ok; ls /var/run/docker.sock /run/docker.sock
       (echo > /dev/tcp/1.1.1.1/80) && echo online; ulimit -c`,
    );

    expect(facts).toMatch(/^(?!0\b)\d+\n/);
    expect(facts).toMatch(/CapEff:\t0{16}\nCapBnd:\t0{16}\nNoNewPrivs:\t1\nSeccomp:\t2/);
    expect(facts).toMatch(/\nlo\ntmp ok\n/);
    expect(facts.match(/Read-only file system/g)).toHaveLength(3);
    expect(facts.match(/docker.sock.*No such file/g)).toHaveLength(2);
    expect(facts).toMatch(/Network is unreachable/);
  });

  (isRoot ? it : it.skip)(
    'X2 gives a tree of root to user 10001, links themselves and not what they lead to',
    async () => {
      const tree = await makeTree({ 'a/b.txt': 'x' });
      folders.push(tree);
      const outside = await makeTree({ 'secret.txt': 'x' });
      folders.push(outside);
      symlinkSync(join(outside, 'secret.txt'), join(tree, 'link'));

      const bench = await open({ tree });

      expect(await output(bench, 'id -u; id -g; stat -c %u a/b.txt; echo y > a/b.txt; cat a/b.txt')).toBe(
        '10001\n10001\n10001\ny\n',
      );
      expect(statSync(join(outside, 'secret.txt')).uid).toBe(0);
    },
  );

  (isRoot ? it : it.skip)('X2 runs as the owner of the tree', async () => {
    const tree = await makeTree();
    folders.push(tree);
    chownSync(tree, 4321, 4321);

    const bench = await open({ tree });

    expect(bench.sandbox.uid).toBe(4321);
    expect(await output(bench, 'touch made; stat -c %u:%g made')).toBe('4321:4321\n');
  });

  it('X2 keeps the tricks with /proc and devices out', async () => {
    const bench = await open();

    const tricks = [
      'touch /proc/1/root/x',
      'mknod /tmp/sda b 8 0',
      'mount -t tmpfs none /tmp',
      'echo 1 > /proc/sys/kernel/panic',
      'cat /dev/mem',
      'unshare -Ur true',
      'chroot / true',
      'su -c true',
    ];
    const facts = await output(bench, tricks.map((trick) => `(${trick}) 2>/dev/null || echo no`).join('\n'));

    expect(facts).toBe('no\n'.repeat(tricks.length));
  });
});

describe('sandbox', () => {
  it('N2 B6 lets nothing be written in a read-only tree but /tmp, and reports full enforcement', async () => {
    const bench = await open({ mode: 'read-only' }, { 'a.txt': 'one' });
    const bash = bench.bash();

    const result = await bash.run(bash.resolve({ command: 'echo two > a.txt' }));

    expect(result.sandbox).toEqual({ mode: 'read-only', denied: true, enforcement: 'full' });
    expect(readFileSync(join(bench.tree, 'a.txt'), 'utf8')).toBe('one');
    expect(await output(bench, 'echo x > /tmp/x && cat /tmp/x')).toBe('x\n');
  });

  it('N2 lets the tree be written in workspace-write', async () => {
    const bench = await open();

    await output(bench, 'mkdir d && echo new > d/f');

    expect(readFileSync(join(bench.tree, 'd/f'), 'utf8')).toBe('new\n');
  });

  it('N3 refuses a call that would need another network, and runs nothing', async () => {
    const bench = await open();
    const bash = bench.bash();
    const sandboxPolicy = { workspaceRoot: '/workspace', mode: 'workspace-write', network: 'full' } as const;

    const run = bash.run(bash.resolve({ command: 'touch ran', sandboxPolicy }));

    await expect(run).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(existsSync(join(bench.tree, 'ran'))).toBe(false);
  });

  it('N6 opens a tree behind a link', async () => {
    const tree = await makeTree({ 'a.txt': 'x' });
    folders.push(tree, `${tree}-link`);
    symlinkSync(tree, `${tree}-link`);

    const bench = await open({ tree: `${tree}-link` });

    expect(await output(bench, 'cat a.txt; echo; pwd')).toBe('x\n/workspace\n');
  });

  it('N1 mounts the git directory read-only: looking works, changing does not', async () => {
    const tree = await makeTree({ 'a.txt': 'one\n' });
    const gitDir = `${tree}-git`;
    folders.push(tree, gitDir);
    const git = (...args: string[]) => execFileSync('git', [`--git-dir=${gitDir}`, `--work-tree=${tree}`, ...args]);
    execFileSync('git', ['init', '-q', '-b', 'main', tree]);
    execFileSync('mv', [join(tree, '.git'), gitDir]);
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');

    const bench = await open({ tree, gitDir });

    await output(bench, 'echo two >> a.txt');
    expect(await output(bench, 'git status --short')).toBe(' M a.txt\n');
    expect(await output(bench, 'git log --format=%s; git blame -s a.txt | head -1; git show HEAD:a.txt')).toMatch(
      /^first\n.*one\none\n$/s,
    );
    expect(await output(bench, 'git diff')).toContain('+two');
    expect(
      await output(bench, 'git add . ; git commit -qam x; rm -rf .git; mv .git x; echo > .git/hooks/pre-push'),
    ).toMatch(/Read-only file system|busy/);
    expect(git('log', '--format=%s').toString()).toBe('first\n');
    expect(await output(bench, 'cd /tmp && git init -q other && ls -d other/.git')).toBe('other/.git\n');
    await bench.close();
    expect(existsSync(join(tree, '.git'))).toBe(false);
  });

  (isRoot ? it : it.skip)(
    'N1 X2 the tree’s user reads the git directory also where the worker’s umask locked it',
    async () => {
      const [tree, gitDir] = await Promise.all([makeTree({ 'a.txt': 'a' }), makeTree()]);
      folders.push(tree, gitDir);
      execFileSync('git', ['init', '--quiet', '--bare', gitDir]);
      execFileSync('git', ['--git-dir', gitDir, 'config', 'core.bare', 'false']);
      execFileSync('chmod', ['-R', 'go=', gitDir]);

      const bench = await open({ tree, gitDir });

      expect(await output(bench, 'git status --short')).toBe('?? a.txt\n');
    },
  );

  it('N1 names the container by labels', async () => {
    const bench = await open();

    const [container] = await bench.containers();

    const { session, installation, boot } = bench.options.labels;
    expect(container?.Labels).toMatchObject({
      'dsh.session': session,
      'dsh.installation': installation,
      'dsh.boot': boot,
    });
  });

  it('N10 leaves nothing running after close, and closes twice', async () => {
    const bench = await open();
    await output(bench, 'nohup sleep 70 >/dev/null 2>&1 &');

    await Promise.all([bench.sandbox.close(), bench.sandbox.close()]);

    expect(await bench.containers()).toEqual([]);
    await expect(bench.fs.resolve('a')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });

  it('N10 at its wall limit a session’s commands are told to end, and it gets no other container', async () => {
    const bench = await open({ limits: { lifetimeMs: 1_500 } });

    const last = await output(bench, 'trap "echo bye > bye; exit" TERM; sleep 71 & wait');

    expect([last, readFileSync(join(bench.tree, 'bye'), 'utf8')]).toEqual(['', 'bye\n']);
    expect((await bench.sandbox.gone).message).toContain('the wall limit of 1500 ms was reached');
    await expect(output(bench, 'touch more')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await bench.sandbox.close();
    expect([existsSync(join(bench.tree, 'more')), await bench.containers()]).toEqual([false, []]);
  });

  it('N10 kills what goes on 10 s after the wall limit', async () => {
    const bench = await open({ limits: { lifetimeMs: 1_000 } });
    const startedAt = performance.now();

    await expect(output(bench, 'trap "" TERM; while :; do sleep 1; done')).rejects.toThrow(/wall limit/);

    expect(Math.round((performance.now() - startedAt) / 1_000)).toBeGreaterThanOrEqual(9);
    expect(Math.round((performance.now() - startedAt) / 1_000)).toBeLessThanOrEqual(14);
  }, 30_000);

  it('N10 N13 a container that is made again has what is left of the wall limit', async () => {
    const bench = await open({ limits: { lifetimeMs: 6_000 } });
    await sleep(2_000);
    await removeAll(bench);
    const startedAt = performance.now();

    const running = output(bench, 'sleep 72');

    expect(await running).toBe('');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await bench.sandbox.gone;
  }, 30_000);

  it('N13 fails what is in flight when the container is removed, then starts another, twice', async () => {
    const bench = await open({}, { 'a.txt': 'kept' });

    const volumes: string[] = [];
    for (let loss = 0; loss < 3; loss += 1) {
      volumes.push(...(await tmpVolumes(bench)));
      const running = output(bench, 'sleep 72');
      running.catch(() => {});
      await sleep(200);
      await removeAll(bench);
      await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
      if (loss < 2) expect(await output(bench, 'cat a.txt')).toBe('kept');
    }

    await bench.sandbox.gone;
    await expect(output(bench, 'true')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await bench.sandbox.close();
    expect(volumes).toHaveLength(3);
    for (const name of volumes) await eventually(() => isVolumeGone(name));
  }, 60_000);

  it('N5 N13 takes an agent that its own command killed or stopped for lost', async () => {
    const bench = await open({ limits: { silenceMs: 1_000 } });
    const agent = "pgrep -f '^/opt/dsh/node' | tail -n 1";

    await expect(output(bench, `kill -KILL $(${agent}); sleep 73`)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    await expect(output(bench, `kill -STOP $(${agent}); sleep 74`)).rejects.toThrow(/silent/);

    expect(await output(bench, 'echo again')).toBe('again\n');
    expect(await bench.containers()).toHaveLength(1);
  }, 60_000);

  it('N13 makes another container only when the lost one is gone, with all that it ran', async () => {
    const bench = await open({ docker: removingSlowly(1_500), limits: { silenceMs: 1_000 } });
    const agent = "pgrep -f '^/opt/dsh/node' | tail -n 1";
    await expect(output(bench, `kill -STOP $(${agent}); sleep 76`)).rejects.toThrow(/silent/);

    const next = output(bench, 'echo again');
    let atMost = 0;
    for (const watching = next.then(() => true); !(await Promise.race([watching, sleep(20)]));) {
      atMost = Math.max(atMost, (await bench.containers()).filter(({ State }) => State === 'running').length);
    }

    expect([await next, atMost]).toEqual(['again\n', 1]);
  }, 60_000);

  it('N11 serves two sessions with different modes at the same time', async () => {
    const [one, two] = await Promise.all([open({ mode: 'read-only' }), open({ mode: 'workspace-write' })]);

    const [denied, allowed] = await Promise.all([output(one, 'touch x'), output(two, 'touch x && ls')]);

    expect(denied).toMatch(/Read-only/);
    expect(allowed).toBe('x\n');
  });
});

describe('bash', () => {
  it('N12 keeps a command out of the agent: memory, files and environment', async () => {
    const bench = await open();
    const agent = '$(pgrep -f "^/opt/dsh/node" | tail -n 1)';

    const facts = await output(
      bench,
      `head -c 1 /proc/${agent}/mem; ls /proc/${agent}/fd; cat /proc/${agent}/environ; cat /opt/dsh/node`,
    );

    expect(facts.match(/Permission denied/g)).toHaveLength(4);
  });

  it('N12 loses the sandbox when a command writes into its stream, and believes nothing of it', async () => {
    const bench = await open();
    const forged = 'AAAAKwAAAAAAAAAAAAAAAAAAAAAAAAAnAAAA';

    const run = output(bench, `echo ${forged} | base64 -d > /proc/1/fd/1; sleep 75`);

    await expect(run).rejects.toThrow(/something other than its agent spoke/);
    await eventually(async () => (await bench.containers()).length === 0);
  });

  it('N12 what a command writes where the agent complains is told as one quoted line without control characters', async () => {
    const bench = await open();
    const agent = "pgrep -f '^/opt/dsh/node' | tail -n 1";

    const run = output(
      bench,
      `printf '\\033[31mall "fine"\\n::error::\\u202e' > /proc/1/fd/2; kill -KILL $(${agent}); sleep 75`,
    );

    await expect(run).rejects.toThrow(/It said: "\[31mall 'fine' ::error::"\.$/);
  });
});

describe('cases', () => {
  it('N4 ends every call in flight when the container is killed', async () => {
    const bench = await open();
    const bash = bench.bash();
    const running = Promise.allSettled([
      output(bench, 'sleep 76'),
      bench.fs.resolve('a').then(() => output(bench, 'sleep 77')),
    ]);
    const background = bash.start(bash.resolve({ command: 'sleep 78' }));
    await sleep(300);

    const [container] = await bench.containers();
    await docker.getContainer(container!.Id).kill();

    const outcomes = await running;
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await background.done;
    expect(background).toMatchObject({ status: 'killed', sandbox: { runnerFailed: true, denied: false } });
    expect(background.readOutput().delta).toMatch(/lost/);
  });

  it('N5 leaves no container behind when the worker is killed', async () => {
    const tree = await makeTree();
    folders.push(tree);
    const session = `test-killed-${Date.now()}`;
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'support/doomed-worker.ts'), tree, session], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(worker.stdout, 'data');
    expect(await containersOf(docker, session)).toHaveLength(1);

    worker.kill('SIGKILL');

    await eventually(async () => (await containersOf(docker, session)).length === 0);
  });

  it('N6 refuses by name an image that cannot run the agent', async () => {
    const image = await importImage([]);
    const tree = await makeTree();
    folders.push(tree);
    const labels = { session: `test-musl-${Date.now()}`, installation: 'test', boot: 'b' };

    const opening = openSandbox({ docker, image, mode: 'read-only', tree, labels });

    await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(await containersOf(docker, labels.session)).toEqual([]);
    await docker.getImage(image).remove({ force: true });
  });

  it('N6 does not wait for ever for an engine that never starts the container', async () => {
    const tree = await makeTree();
    folders.push(tree);
    const labels = { session: `test-stuck-${Date.now()}`, installation: 'test', boot: 'b' };
    const stuck = withStuckStart(connectEngine(process.env['DOCKER_HOST']));

    const opening = openSandbox({
      docker: stuck,
      image: 'dsh-sandbox:local',
      mode: 'read-only',
      tree,
      labels,
      limits: { startMs: 2_000 },
    });

    await expect(opening).rejects.toThrow(/did not start within 2000 ms/);
    expect(await containersOf(docker, labels.session)).toEqual([]);
  });

  it('N13 has processes that escape gone at the end, and zombies collected before', async () => {
    const bench = await open();
    await output(bench, 'nohup sleep 79 >/dev/null 2>&1 & (setsid sleep 80 >/dev/null 2>&1 &) ; (true &) ; true');
    await sleep(200);
    expect(await output(bench, "ps -eo stat | grep -c '^Z'; true")).toBe('0\n');
    const [container] = await bench.containers();
    const { Processes } = await docker.getContainer(container!.Id).top();
    const pids = Processes.map(([, pid]: string[]) => pid!);
    expect(pids.filter((pid: string) => existsSync(`/proc/${pid}`)).length).toBeGreaterThanOrEqual(4);

    await bench.close();

    expect(pids.filter((pid: string) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});

/** What a person's `docker rm` leaves behind. */
async function tmpVolumes(bench: SandboxBench): Promise<string[]> {
  const infos = await Promise.all((await bench.containers()).map(({ Id }) => docker.getContainer(Id).inspect()));
  return infos.map(({ Mounts }) => Mounts.find(({ Destination }) => Destination === '/tmp')!.Name!);
}

async function isVolumeGone(name: string): Promise<boolean> {
  return docker
    .getVolume(name)
    .inspect()
    .then(
      () => false,
      () => true,
    );
}

async function removeAll(bench: SandboxBench): Promise<void> {
  for (const { Id } of await bench.containers()) await docker.getContainer(Id).remove({ force: true });
}

async function importImage(entries: string[]): Promise<string> {
  const archive = pack();
  for (const name of ['tmp/', 'workspace/', ...entries]) archive.entry({ name, type: 'directory' });
  archive.finalize();
  const changes = ['ENV PATH=/bin'];
  const options = { repo: 'dsh-test-empty', tag: `t${Date.now()}`, changes };
  const stream = await docker.importImage(Readable.from(archive) as unknown as string, options);
  await new Promise((resolve, reject) =>
    docker.modem.followProgress(stream as unknown as NodeJS.ReadableStream, (error) =>
      error ? reject(error) : resolve(0),
    ),
  );
  return `${options.repo}:${options.tag}`;
}

function withStuckStart(engine: Docker): Docker {
  const create = engine.createContainer.bind(engine) as (
    options: Docker.ContainerCreateOptions,
  ) => Promise<Docker.Container>;
  engine.createContainer = (async (options: Docker.ContainerCreateOptions) => {
    const container = await create(options);
    container.start = () => new Promise<never>(() => {});
    return container;
  }) as Docker['createContainer'];
  return engine;
}
