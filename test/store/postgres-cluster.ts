import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findPostgres } from '../../scripts/postgres/find-postgres.ts';

/** A PostgreSQL server of our own: on a socket in a temporary folder, without a network, gone when it is stopped. */
export interface Cluster {
  /** An empty database; its URL. */
  createDatabase(): Promise<string>;
  /** Every connection breaks; databases are as they were. */
  restart(): Promise<void>;
  /** Runs one statement in a database. */
  run(url: string, sql: string): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Undefined where PostgreSQL is not installed. */
export async function startCluster(): Promise<Cluster | undefined> {
  const bin = findPostgres();
  if (!bin) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dsh-pg-'));
  const user = await serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const flags = ['--auth=trust', '--username=dsh', '--encoding=UTF8', '--locale=C', '--no-sync', '-D', data];
  const made = spawnSync(join(bin, 'initdb'), flags, { ...user, cwd: '/', encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const start = () => spawnServer(join(bin, 'postgres'), ['-D', data, '-k', folder, ...SETTINGS], user);
  let server = start();
  const urlOf = (database: string) => `postgres:///${database}?host=${encodeURIComponent(folder)}&user=dsh`;
  await untilUp(urlOf('postgres'), server);
  let databases = 0;
  return {
    createDatabase: async () => {
      const name = `test${++databases}`;
      await run(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    },
    restart: async () => {
      await end(server);
      server = start();
      await untilUp(urlOf('postgres'), server);
    },
    run,
    stop: async () => {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing here outlives the cluster, so nothing has to reach the disk. */
const SETTINGS = ['listen_addresses=', 'fsync=off', 'shared_buffers=16MB', 'max_connections=100'].flatMap((setting) => [
  '-c',
  setting,
]);

/** PostgreSQL refuses to run as root. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')!;
  return { uid: Number(uid), gid: Number(gid) };
}

/** The server ends with its standard input, so that it outlives neither a test nor a test runner that was killed. */
function spawnServer(program: string, args: string[], user: object | undefined): ChildProcess {
  const script = '"$@" & server=$!; read -r _; kill -INT $server; wait $server';
  return spawn('sh', ['-c', script, 'sh', program, ...args], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function end(server: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.stdin!.end();
  await gone;
}

async function untilUp(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) break;
    const up = await run(url, 'select 1').catch(() => undefined);
    if (up) return;
    await sleep(50);
  }
  throw new Error('PostgreSQL did not come up');
}

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}
