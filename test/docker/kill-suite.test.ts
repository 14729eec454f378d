import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connectEngine } from '../../src/docker/engine.ts';
import { containersOf, openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

/*
 * How commands end, looked at from this machine's process table and the engine's list. The rest stands elsewhere:
 * container-bash (a child that ignores TERM, children that left the group, a held pipe, a call ended while it is
 * spawned), sandbox (container killed or removed by hand, agent killed or stopped, worker killed, wall limit, sweep),
 * sibling-containers (the same for calls with another mode).
 */

const benches: SandboxBench[] = [];
const doors: { shut(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.allSettled(doors.splice(0).map((door) => door.shut()));
  await Promise.allSettled(benches.splice(0).map((bench) => bench.close()));
});

async function open(...args: Parameters<typeof openBench>): Promise<SandboxBench> {
  const bench = await openBench(...args);
  benches.push(bench);
  return bench;
}

/** Seconds that no other process on this machine sleeps for. */
let naps = 70_000 + (process.pid % 1_000) * 10;
const nap = () => String(naps++);

/** This machine's processes that sleep for so long, wherever they are. */
function sleepers(seconds: string): string[] {
  const table = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' });
  return table
    .split('\n')
    .filter((line) => !line.startsWith('Z') && line.endsWith(` sleep ${seconds}`) && !line.includes('bash'));
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 200) throw new Error('it did not become true');
    await sleep(50);
  }
}

async function cancelOnceAsleep(bench: SandboxBench, command: string, seconds: string, count: number) {
  const controller = new AbortController();
  const bash = bench.bash();
  const running = bash.run(bash.resolve({ command, signal: controller.signal }));
  await eventually(() => sleepers(seconds).length >= count);
  controller.abort();
  return running;
}

describe('bash', () => {
  it.each([
    ['a child that traps TERM', (s: string) => `trap '' TERM HUP INT; sleep ${s} & wait; sleep ${s}`, 1],
    ['a double fork', (s: string) => `(setsid bash -c '(sleep ${s} &) ; exit' &) ; sleep ${s}`, 2],
    ['a pipe held open', (s: string) => `(trap '' TERM; sleep ${s}) | (trap '' TERM; sleep ${s}) & sleep ${s}`, 3],
    ['a stopped child', (s: string) => `sleep ${s} & sleep 0.3; kill -STOP $!; wait`, 1],
    ['a pile of children', (s: string) => `for i in $(seq 40); do setsid sleep ${s} & done; wait`, 40],
  ] as const)(
    'N9 a cancelled call returns when nothing of it is left: %s',
    async (_title, commandOf, count) => {
      const bench = await open();
      const seconds = nap();

      const result = await cancelOnceAsleep(bench, commandOf(seconds), seconds, count);

      expect(result).toMatchObject({ aborted: true, timedOut: false });
      expect(sleepers(seconds)).toEqual([]);
      const bash = bench.bash();
      expect((await bash.run(bash.resolve({ command: 'echo next' }))).stdout.text).toBe('next\n');
    },
    60_000,
  );

  it('N9 a call that is cancelled before its spawn is confirmed leaves nothing', async () => {
    const bench = await open();
    const seconds = nap();
    const bash = bench.bash();
    for (const waitMs of [0, 1, 2, 4, 8, 16]) {
      const controller = new AbortController();
      const running = bash.run(bash.resolve({ command: `sleep ${seconds}`, signal: controller.signal }));
      const outcome = running.then(
        ({ aborted }) => aborted,
        ({ code }: { code: string }) => code,
      );
      if (waitMs > 0) await sleep(waitMs);

      controller.abort();

      expect([true, 'BASH_SPAWN_FAILED']).toContain(await outcome);
      expect(sleepers(seconds)).toEqual([]);
    }
  }, 60_000);

  it('N9 N2 finds what hides in a session of its own with an empty environment, and spares other calls', async () => {
    const bench = await open();
    const [seconds, others] = [nap(), nap()];
    const hidden = (s: string) => `(env -i /usr/bin/setsid /bin/bash -c '(trap "" TERM HUP; sleep ${s} &) ; exit' &)`;
    const bash = bench.bash();
    await bash.run(bash.resolve({ command: `${hidden(others)}; sleep 0.2` }));

    await cancelOnceAsleep(bench, `${hidden(seconds)}; sleep ${seconds}`, seconds, 2);

    expect([sleepers(seconds).length, sleepers(others).length]).toEqual([0, 1]);
  }, 60_000);

  it('N9 what cannot be told from another call at work ends with the container', async () => {
    const bench = await open();
    const [seconds, others] = [nap(), nap()];
    const bash = bench.bash();
    const background = bash.start(bash.resolve({ command: `sleep ${others}` }));
    const command = `(env -i /usr/bin/setsid /bin/bash -c '(sleep ${seconds} &) ; exit' &) ; sleep ${seconds}`;
    await cancelOnceAsleep(bench, command, seconds, 2);
    expect([background.status, sleepers(others).length]).toEqual(['running', 1]);

    await bench.sandbox.close();

    expect([...sleepers(seconds), ...sleepers(others)]).toEqual([]);
    expect(await bench.containers()).toEqual([]);
  }, 60_000);
});

describe('sandbox', () => {
  it('N5 N13 an engine that goes away in mid-command fails the call, and nothing is left when it is back', async () => {
    const engine = await openDoor();
    doors.push(engine);
    const session = `test-away-${Date.now()}`;
    const docker = connectEngine(`unix://${engine.path}`);
    const bench = await open({ docker, labels: { session, installation: 'test', boot: 'b' } }, { 'a.txt': 'kept' });
    const seconds = nap();
    const bash = bench.bash();
    const running = bash.run(bash.resolve({ command: `trap '' TERM; sleep ${seconds}; sleep ${seconds}` }));
    running.catch(() => {});
    await eventually(() => sleepers(seconds).length === 1);

    await engine.shut();

    await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await expect(bash.run(bash.resolve({ command: 'true' }))).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await eventually(async () => (await containersOf(connectEngine(process.env['DOCKER_HOST']), session)).length === 0);
    expect([sleepers(seconds), existsSync(join(bench.tree, 'a.txt'))]).toEqual([[], true]);
  }, 60_000);

  it('N10 closing in mid-command ends what trapped TERM, forked away and held the pipes', async () => {
    const bench = await open();
    const seconds = nap();
    const bash = bench.bash();
    const command = `trap '' TERM; (setsid bash -c 'trap "" TERM; sleep ${seconds}; sleep ${seconds}' &) ; sleep ${seconds}`;
    const running = bash.run(bash.resolve({ command }));
    running.catch(() => {});
    await eventually(() => sleepers(seconds).length === 2);

    await bench.sandbox.close();

    await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect([sleepers(seconds), await bench.containers()]).toEqual([[], []]);
  }, 60_000);
});

/** A socket that leads to the engine until it is shut: an engine that stops, without stopping everybody's. */
async function openDoor() {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-door-'));
  const path = join(folder, 's');
  const target = process.env['DOCKER_HOST']?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock';
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: target, allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    async shut() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
