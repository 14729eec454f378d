import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { openJsonlSessions } from '../../src/store/jsonl/jsonl-persistence.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';

const isLong = process.env['DSH_LONG_TESTS'] === '1';
const WRITERS = 8;
const SESSIONS_PER_WRITER = isLong ? 125 : 10;
const TURNS = 3;
const TIMEOUT_MS = isLong ? 600_000 : 120_000;

const cluster: Cluster | undefined = await startCluster();
afterAll(() => cluster?.stop());

describe.each(cluster ? ['sqlite', 'postgres'] : ['sqlite'])('persistence', (kind) => {
  let dataDir: string;
  let databaseUrl = '';
  let store: Store;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dsh-writers-'));
    if (kind === 'postgres') databaseUrl = await cluster!.createDatabase();
    store = openStore({ dataDir, databaseUrl: databaseUrl || undefined, now: () => new Date() });
  });
  afterAll(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const read = async (id: string) => (await store.sessions.inspect(SessionId(id))).events;
  function start(...task: (string | number)[]) {
    const args = [
      '--no-warnings',
      join(import.meta.dirname, 'writer-process.ts'),
      dataDir,
      databaseUrl,
      ...task.map(String),
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    return { child, lines: createInterface(child.stdout), exit: once(child, 'close') };
  }
  const succeed = async ({ exit }: ReturnType<typeof start>) => expect((await exit)[0]).toBe(0);

  it(
    `P28 sessions of eight ${kind} writers at once are whole: nothing lost, doubled or mixed up`,
    async () => {
      const writers = Array.from({ length: WRITERS }, (_, index) =>
        start('many', `w${index}`, SESSIONS_PER_WRITER, TURNS),
      );
      await Promise.all(writers.map(succeed));

      const ids = (await store.sessions.list()).map(({ id }) => id);
      expect(new Set(ids).size).toBe(WRITERS * SESSIONS_PER_WRITER);
      for (const id of ids) expectWhole(await read(id), id, TURNS);
    },
    TIMEOUT_MS,
  );

  it(
    `B1 eight ${kind} writers that share one session by its lease write one log`,
    async () => {
      const writers = Array.from({ length: WRITERS }, () => start('one', 'shared', TURNS));
      await Promise.all(writers.map(succeed));

      expectWhole(await read('shared'), 'shared', WRITERS * TURNS);
    },
    TIMEOUT_MS,
  );

  it(
    `P31 a killed ${kind} writer loses nothing that was durable, and its logs can be gone on with`,
    async () => {
      const { child, lines, exit } = start('many', 'killed', 5, 100_000);
      const durable = new Map<string, number>();
      for await (const line of lines) {
        const [id = '', length] = line.split(' ');
        durable.set(id, Number(length));
        if (durable.size === 5 && Math.max(...durable.values()) > 60) child.kill('SIGKILL');
      }
      await exit;

      for (const [id, length] of durable) {
        expect((await read(id)).length).toBeGreaterThanOrEqual(length);
        const { events } = await store.sessions.load(SessionId(id));
        expect(events.at(-1)?.type).toBe('turn/end');
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      }
    },
    TIMEOUT_MS,
  );
});

describe('persistence', () => {
  it(
    'P22 sessions of eight writers of files at once are whole: nothing lost, doubled or mixed up',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'dsh-writers-'));
      const writers = Array.from({ length: WRITERS }, (_, index) => {
        const task = [dataDir, 'files', 'many', `w${index}`, String(SESSIONS_PER_WRITER), String(TURNS)];
        const args = ['--no-warnings', join(import.meta.dirname, 'writer-process.ts'), ...task];
        return once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'close');
      });
      expect((await Promise.all(writers)).map(([code]) => code as number)).toEqual(writers.map(() => 0));

      const sessions = openJsonlSessions({ root: join(dataDir, 'files') });
      const ids = (await sessions.list()).map(({ id }) => id);
      expect(new Set(ids).size).toBe(WRITERS * SESSIONS_PER_WRITER);
      for (const id of ids) expectWhole((await sessions.inspect(id)).events, id, TURNS);
      await rm(dataDir, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );
});

function expectWhole(events: readonly SessionEvent[], id: string, turns: number): void {
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: turns * 6 }, (_, index) => index));
  const prompts = events.filter(({ type }) => type === 'user/message').map(({ data }) => JSON.stringify(data));
  expect(prompts).toEqual(
    Array.from({ length: turns }, (_, turn) => expect.stringContaining(`${id} asks ${turn + 1}`)),
  );
}
