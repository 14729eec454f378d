import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Context } from '../src/harness/kernel/context.ts';
import { prepareStoredSession } from '../src/harness/session/prepare-stored-session.ts';
import type { Session } from '../src/harness/session/session.ts';
import { sessionStore } from '../src/harness/session/session-store.ts';
import { SessionId } from '../src/harness/session/types.ts';
import { sqlitePersistence } from '../src/store/sqlite/sqlite-persistence.ts';
import { addStep } from './add-step.ts';
import { ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const STEPS = 300;
const CHUNKS = 40;
const LONG_LOG = 100_000;

/** B9: durable appends, one transaction a flush; and a long session loaded, derived and ready for its next request. */
export const sessionLog: Benchmark = {
  id: 'B9',
  async run(rounds) {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-log-'));
    let file = 0;
    const nextFile = () => join(folder, `${++file}.sqlite`);
    try {
      const steps = await rowsOfSteps();
      const [ours, bare] = await takeTurns(
        rounds,
        () => appendRate(nextFile()),
        async () => bareAppendRate(nextFile(), steps),
      );
      const long = await storeLongSession(nextFile());
      const [load, parse] = await takeTurns(
        rounds * 3,
        () => loadMs(long.path),
        async () => elapsedMs(() => void JSON.parse(long.text)),
      );
      return [
        ratioRow('B9', 'durable appends', { figure: ours, reference: bare, unit: 'events/s' }, { atLeast: 0.5 }),
        ratioRow(
          'B9',
          `load ${LONG_LOG} events, derive`,
          { figure: load, reference: parse, unit: 'ms' },
          { atMost: 3 },
        ),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Events a second through session, buffer and store; what it costs to make the events is not counted. */
async function appendRate(path: string): Promise<number> {
  const ctx = await stored(path);
  const session = started(ctx);
  let spent = 0;
  for (let step = 1; step <= STEPS; step++) {
    addStep(session, step, CHUNKS);
    const startedAt = performance.now();
    await ctx.sessions.flush(session);
    spent += performance.now() - startedAt;
  }
  await ctx.fiber.dispose();
  return session.seq / (spent / 1_000);
}

type Row = [seq: number, type: string, time: number, data: string];

/** The same bytes, a list for each flush. */
async function rowsOfSteps(): Promise<Row[][]> {
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  const session = started(ctx);
  return Array.from({ length: STEPS }, (_, index) => {
    const from = index === 0 ? 0 : session.seq;
    addStep(session, index + 1, CHUNKS);
    return session.events.slice(from).map(({ seq, type, time, data }): Row => [seq, type, time, JSON.stringify(data)]);
  });
}

function bareAppendRate(path: string, steps: readonly Row[][]): number {
  using db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal');
  db.exec(
    'create table events (session_id text, seq integer, type text, time integer, data text, primary key (session_id, seq)) strict',
  );
  const insert = db.prepare('insert into events values (?, ?, ?, ?, ?)');
  const spent = elapsedMs(() => {
    for (const rows of steps) {
      db.exec('begin immediate');
      for (const row of rows) insert.run('bench', ...row);
      db.exec('commit');
    }
  });
  return steps.flat().length / (spent / 1_000);
}

async function storeLongSession(path: string): Promise<{ path: string; text: string }> {
  const ctx = await stored(path);
  const session = started(ctx);
  for (let step = 1; session.seq < LONG_LOG; step++) addStep(session, step, 400);
  session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
  await ctx.sessions.flush(session);
  await ctx.fiber.dispose();
  return { path, text: JSON.stringify(session.events) };
}

/** From the file to a live session that has its history. */
async function loadMs(path: string): Promise<number> {
  const ctx = await stored(path);
  const startedAt = performance.now();
  const session = await prepareStoredSession(SessionId('bench'), ctx);
  ctx.sessions.enter(session);
  ctx.sessions.announce(session);
  session.deriveMessages();
  await ctx.sessions.flush(session);
  const spent = performance.now() - startedAt;
  await ctx.fiber.dispose();
  return spent;
}

async function stored(path: string): Promise<Context> {
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  await ctx.plugin(sqlitePersistence, { path });
  return ctx;
}

function started(ctx: Context): Session {
  const session = ctx.sessions.create(SessionId('bench'));
  session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
  return session;
}

function elapsedMs(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
