import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkEngine, connectEngine, DEFAULT_DOCKER_HOST } from '../../src/docker/engine.ts';
import { installPackages, isProgramPresent } from './install-packages.ts';

const UP_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;
/** Sockets live here: the cache folder's name may be longer than a socket's name may be. */
const EXEC_ROOT = '/run/dsh-docker';

/** Installs Docker where it is missing and leaves an engine running at the default socket. */
export async function startEngine(cacheDir: string, say: (line: string) => void): Promise<void> {
  if (!isProgramPresent('dockerd') || !isProgramPresent('iptables')) {
    installPackages(['docker.io', 'iptables'], say);
    if (await answers()) return;
  }
  mkdirSync(cacheDir, { recursive: true });
  const logFile = join(cacheDir, 'dockerd.log');
  const pid = spawnEngine(cacheDir, logFile);
  say(
    `started dockerd (process ${pid}, data in ${cacheDir}, log ${logFile}); \`node scripts/setup-docker.ts --stop\` ends it`,
  );
  await waitUntilUp(pid, logFile);
}

/** Ends the engine that an earlier call started. Its data stays. */
export async function stopEngine(cacheDir: string, say: (line: string) => void): Promise<void> {
  const pid = runningPid(cacheDir);
  if (pid === undefined) return say('no engine of ours is running');
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_LIMIT_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(100);
  if (isAlive(pid)) throw new Error(`dockerd (process ${pid}) is still running after ${STOP_LIMIT_MS} ms`);
  say('stopped dockerd');
}

function runningPid(cacheDir: string): number | undefined {
  const file = pidFile(cacheDir);
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8'));
  return isAlive(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'dockerd' ? pid : undefined;
}

function spawnEngine(cacheDir: string, logFile: string): number {
  const pid = pidFile(cacheDir);
  if (runningPid(cacheDir) === undefined) rmSync(pid, { force: true });
  const log = openSync(logFile, 'a');
  const flags = ['--data-root', join(cacheDir, 'data'), '--exec-root', EXEC_ROOT, '--pidfile', pid];
  const child = spawn('dockerd', [...flags, '--host', DEFAULT_DOCKER_HOST, '--log-level', 'warn'], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
  });
  child.unref();
  if (child.pid === undefined) throw new Error('dockerd could not be started');
  return child.pid;
}

async function waitUntilUp(pid: number, logFile: string): Promise<void> {
  const deadline = Date.now() + UP_LIMIT_MS;
  while (!(await answers())) {
    if (!isAlive(pid) || Date.now() > deadline) {
      throw new Error(`dockerd did not come up. Its last words:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    await sleep(100);
  }
}

async function answers(): Promise<boolean> {
  return checkEngine(connectEngine()).then(
    () => true,
    () => false,
  );
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

function pidFile(cacheDir: string): string {
  return join(cacheDir, 'dockerd.pid');
}
