import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type Docker from 'dockerode';
import { openHost } from '../../src/cli/open-host.ts';
import { ensureAgentVolume } from '../../src/docker/agent-volume.ts';
import { checkSandbox } from '../../src/docker/check-sandbox.ts';
import { openEgress } from '../../src/docker/egress/open-egress.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import { sweepAgentVolumes } from '../../src/docker/sweep/sweep-agent-volumes.ts';
import { isLeftOver, removeContainersOf } from '../../src/docker/sweep/sweep-containers.ts';
import { sweepLeftovers } from '../../src/docker/sweep/sweep-leftovers.ts';
import { sweepTmpVolumes } from '../../src/docker/sweep/sweep-tmp-volumes.ts';
import { workerBoot, workerState } from '../../src/docker/sweep/worker-boot.ts';
import { containersOf, IMAGE, openBench } from './support/sandbox-bench.ts';

const docker = connectEngine(process.env['DOCKER_HOST']);
const HOUR_MS = 3_600_000;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-sweep-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Another process, with the name that it gives its life. */
async function startWorker(): Promise<{ boot: string; process: ChildProcess }> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'support/idle-worker.ts')]);
  undo.push(() => worker.kill('SIGKILL'));
  const [line] = (await once(worker.stdout, 'data')) as [Buffer];
  return { boot: line.toString().trim(), process: worker };
}

async function deadBoot(): Promise<string> {
  const worker = await startWorker();
  worker.process.kill('SIGKILL');
  await once(worker.process, 'exit');
  return worker.boot;
}

/** A container that runs on although nobody holds its streams. */
async function leave(session: string, boot: string, mounts: Docker.MountConfig = []): Promise<void> {
  const Labels = { 'dsh.session': session, 'dsh.installation': 'test', 'dsh.boot': boot, 'dsh.lifetime': '600000' };
  const HostConfig = { NetworkMode: 'none', Mounts: mounts };
  const container = await docker.createContainer({ Image: IMAGE, Cmd: ['sleep', '600'], Labels, HostConfig });
  undo.push(() => container.remove({ force: true }).catch(() => {}));
  await container.start();
}

function sweep(folder: string) {
  const [socketFolder, setupFolder] = [join(folder, 'egress'), join(folder, 'setup')];
  const log = (message: string, error?: unknown) => {
    throw new Error(message, { cause: error });
  };
  return sweepLeftovers({ docker, socketFolder, setupFolder, now: () => new Date(), log });
}

describe('sandbox', () => {
  it('N10 a boot sweep removes what dead workers left, by label, and spares the living and the unknown', async () => {
    const [alive, dead] = [await startWorker(), await deadBoot()];
    const session = `test-${randomUUID()}`;
    const boots = { dead, alive: alive.boot, own: workerBoot(), elsewhere: `0123456789ab-4026531836-1-100`, old: 'x' };
    for (const [name, boot] of Object.entries(boots)) await leave(`${session}-${name}`, boot);

    await sweep(makeFolder());

    const left = Object.keys(boots).map(async (name) => (await containersOf(docker, `${session}-${name}`)).length);
    expect(await Promise.all(left)).toEqual([0, 1, 1, 1, 1]);
    alive.process.kill('SIGKILL');
    await once(alive.process, 'exit');
    await sweep(makeFolder());
    expect(await containersOf(docker, `${session}-alive`)).toEqual([]);
  }, 60_000);

  it('N10 where a worker is out of sight, a container goes once it has stopped or is past its wall limit', () => {
    const Labels = { 'dsh.boot': 'out-of-sight', 'dsh.lifetime': String(HOUR_MS) };
    const container = { Labels, State: 'running', Created: 1_000_000 };
    const after = (ms: number) => new Date(container.Created * 1_000 + ms);

    expect(isLeftOver(container, after(HOUR_MS + 60_000))).toBe(false);
    expect(isLeftOver(container, after(HOUR_MS + 11 * 60_000))).toBe(true);
    expect(isLeftOver({ ...container, State: 'exited' }, after(1))).toBe(true);
    expect(isLeftOver({ ...container, Labels: { 'dsh.boot': 'older' } }, after(100 * HOUR_MS))).toBe(false);
    const own = { ...container, Labels: { ...Labels, 'dsh.boot': workerBoot() } };
    expect(isLeftOver({ ...own, State: 'exited' }, after(100 * HOUR_MS))).toBe(false);
  });

  it('N10 knows a worker by more than its pid', async () => {
    const boot = workerBoot();
    const [start = ''] = /\d+$/.exec(boot) ?? [];

    expect(workerState(boot)).toBe('alive');
    expect(workerState(boot.replace(/\d+$/, String(Number(start) + 1)))).toBe('dead');
    expect(workerState(boot.replace(/^\w{12}/, '0123456789ab'))).toBe('unknown');
    expect(workerState(boot.replace(/-\d+-/, '-1-'))).toBe('unknown');
    expect(workerState(await deadBoot())).toBe('dead');
  });

  it('N10 ends the containers of a session that another worker takes over', async () => {
    const session = `test-${randomUUID()}`;
    const [dataDir, foreign] = [makeFolder(), makeFolder()];
    for (const folder of [dataDir, foreign]) mkdirSync(join(folder, 'sessions'));
    const treeIn = (folder: string): Docker.MountConfig => [
      { Type: 'bind', Source: join(folder, 'sessions'), Target: '/workspace' },
    ];
    await leave(session, workerBoot(), treeIn(dataDir));
    await leave(`${session}-other`, workerBoot(), treeIn(dataDir));
    await leave(session, workerBoot(), treeIn(foreign));

    await removeContainersOf(docker, session, dataDir);

    const left = await docker.listContainers({ all: true, filters: { label: [`dsh.session=${session}`] } });
    expect(left.flatMap(({ Mounts }) => Mounts.map(({ Source }) => Source))).toEqual([join(foreign, 'sessions')]);
    expect(await containersOf(docker, `${session}-other`)).toHaveLength(1);
  });

  it('N10 sweeps sockets that nobody answers in, and no other', async () => {
    const folder = makeFolder();
    const options = { folder: join(folder, 'egress'), record: () => {} };
    const open = await openEgress({ ...options, policy: { network: 'full', hosts: [] } });
    undo.push(() => open.close());
    const prefix = open.folder.slice(0, -6);
    const [stale, fresh, foreign] = [`${prefix}stale1`, `${prefix}fresh1`, join(options.folder, 'e-----other1')];
    for (const path of [stale, fresh, foreign]) mkdirSync(path);
    await leaveSocket(join(stale, 's'));
    const before = new Date(Date.now() - 2 * 60_000);
    for (const path of [stale, open.folder, foreign]) utimesSync(path, before, before);

    expect((await sweep(folder)).sockets).toBe(1);

    expect(
      readdirSync(options.folder)
        .map((name) => join(options.folder, name))
        .sort(),
    ).toEqual([open.folder, fresh, foreign].sort());
  });

  it('N10 sweeps setups that a dead worker did not finish, and spares the others and their results', async () => {
    const folder = makeFolder();
    const dead = await deadBoot();
    const paths = ['.trees/%.abcdef', '42/.draft-%.abcdef'].flatMap((path) =>
      [dead, workerBoot(), 'unknown'].map((boot) => join(folder, 'setup', path.replace('%', boot))),
    );
    const [old, kept] = [join(folder, 'setup/.trees/tOlder1'), join(folder, 'setup/42/0123456789abcdef')];
    for (const path of [...paths, old, kept]) mkdirSync(join(path, 'content'), { recursive: true });
    const longAgo = new Date(Date.now() - 25 * HOUR_MS);
    for (const path of [old, kept]) utimesSync(path, longAgo, longAgo);

    expect((await sweep(folder)).drafts).toBe(3);

    expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, false, true, true]);
    expect([existsSync(old), existsSync(kept)]).toEqual([false, true]);
  });

  it('N10 every host sweeps when it starts, beside its work', async () => {
    const folder = makeFolder();
    const left = join(folder, 'setup/.trees', `${await deadBoot()}.abcdef`);
    mkdirSync(left, { recursive: true });
    const logged: string[] = [];

    const { bot } = await openHost({ DSH_DATA_DIR: folder, HOME: folder }, (message) => void logged.push(message));
    undo.push(() => bot.close());

    for (let waited = 0; existsSync(left) && waited < 5_000; waited += 50) await sleep(50);
    expect([existsSync(left), logged]).toEqual([false, []]);
  });

  it('N10 sweeps volumes of other agent versions that nothing uses', async () => {
    const { engine, imageId } = await checkSandbox(docker, { image: IMAGE });
    const current = await ensureAgentVolume(docker, imageId, engine);
    const [unused, used, young] = ['unused', 'used', 'young'].map((name) => `dsh-agent-test-${name}-${randomUUID()}`);
    for (const name of [unused!, used!]) await makeVolume(name);
    await leave(`test-${randomUUID()}`, workerBoot(), [
      { Type: 'volume', Source: used!, Target: '/opt/other', ReadOnly: true },
    ]);
    const seen = [unused, used, young, current];
    const only = onlyVolumes(seen as string[]);

    expect(await sweepAgentVolumes({ docker: only, engine, now: new Date() })).toBe(0);
    expect(await sweepAgentVolumes({ docker: only, engine, now: new Date(Date.now() + 2 * HOUR_MS) })).toBe(1);

    expect(await Promise.all(seen.map(hasVolume))).toEqual([false, true, false, true]);
  });

  it('N10 sweeps what containers of dead workers had as /tmp, which a sibling kept from going with them', async () => {
    const session = `test-${randomUUID()}`;
    const dead = await deadBoot();
    const names = [dead, workerBoot(), 'out-of-sight'].map((_, index) => `dsh-tmp-test-${index}-${randomUUID()}`);
    for (const [index, boot] of [dead, workerBoot(), 'out-of-sight'].entries()) {
      const labels = { 'dsh.session': session, 'dsh.boot': boot, 'dsh.lifetime': String(HOUR_MS) };
      await makeVolume(names[index]!, labels);
    }
    const only = onlyVolumes(names);

    expect(await sweepTmpVolumes(only, new Date())).toBe(1);
    expect(await Promise.all(names.map(hasVolume))).toEqual([false, true, true]);
    expect(await sweepTmpVolumes(only, new Date(Date.now() + 2 * HOUR_MS))).toBe(1);
    expect(await Promise.all(names.map(hasVolume))).toEqual([false, true, false]);
  });

  it('N10 names the /tmp of a container by the same labels', async () => {
    const bench = await openBench();
    undo.push(() => bench.close());
    const [container] = await bench.containers();
    const { Mounts } = await docker.getContainer(container!.Id).inspect();
    const { Name = '' } = Mounts.find(({ Destination }) => Destination === '/tmp')!;

    const { Labels } = await docker.getVolume(Name).inspect();

    const { session, boot } = bench.options.labels;
    expect(Labels).toMatchObject({ 'dsh.session': session, 'dsh.boot': boot, 'dsh.lifetime': '21600000' });
  });

  it('N10 looks for its volume every time, and fills it again when another version has swept it', async () => {
    const { engine, imageId } = await checkSandbox(docker, { image: IMAGE });
    let fills = 0;
    let isThere = true;
    const watched = Object.assign(Object.create(docker), {
      createContainer: (options: Docker.ContainerCreateOptions) => ((fills += 1), docker.createContainer(options)),
      getVolume: (name: string) =>
        isThere
          ? docker.getVolume(name)
          : { inspect: () => Promise.reject(Object.assign(new Error(), { statusCode: 404 })) },
    }) as Docker;
    const name = await ensureAgentVolume(watched, imageId, engine);
    await ensureAgentVolume(watched, imageId, engine);
    expect(fills).toBe(1);

    isThere = false;

    expect(await ensureAgentVolume(watched, imageId, engine)).toBe(name);
    expect(fills).toBe(2);
  });

  it('N10 sweeps the rest without an engine, and says nothing of it', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'setup/.trees', `${await deadBoot()}.abcdef`), { recursive: true });
    const parts = { socketFolder: join(folder, 'egress'), setupFolder: join(folder, 'setup'), now: () => new Date() };
    const logged: string[] = [];

    const nobody = connectEngine(`unix://${folder}/nobody.sock`);
    const swept = await sweepLeftovers({ ...parts, docker: nobody, log: (message) => logged.push(message) });

    expect([swept, logged]).toEqual([{ containers: 0, volumes: 0, sockets: 0, drafts: 1 }, []]);
  });
});

/** As a killed process leaves one: the file stays, and nobody listens. */
async function leaveSocket(path: string): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script]), 'exit');
  expect(existsSync(path)).toBe(true);
}

async function makeVolume(name: string, labels: Record<string, string> = { 'dsh.agent': '1' }): Promise<void> {
  await docker.createVolume({ Name: name, Labels: labels });
  undo.push(() =>
    docker
      .getVolume(name)
      .remove()
      .catch(() => {}),
  );
}

function hasVolume(name = ''): Promise<boolean> {
  return docker
    .getVolume(name)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

/** The engine as if it had these volumes alone: this machine may be at work with others. */
function onlyVolumes(names: readonly string[]): Docker {
  const listVolumes = async (options: object) => {
    const { Volumes } = await docker.listVolumes(options);
    return { Volumes: Volumes.filter(({ Name }) => names.includes(Name)) };
  };
  return Object.assign(Object.create(docker), { listVolumes, listContainers: async () => [] }) as Docker;
}
