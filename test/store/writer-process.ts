import { join } from 'node:path';
import { Context } from '../../src/harness/kernel/context.ts';
import { prepareStoredSession } from '../../src/harness/session/prepare-stored-session.ts';
import type { Session } from '../../src/harness/session/session.ts';
import { sessionStore } from '../../src/harness/session/session-store.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { jsonlPersistence } from '../../src/store/jsonl/jsonl-persistence.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { EpochOf } from '../../src/store/lease.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';

/**
 * A process that writes sessions, for tests that need several: `many <prefix> <sessions> <turns>` writes sessions of its
 * own side by side, `one <id> <turns>` takes turns with others on one session under its lease. It prints each session
 * and its length once that much is durable.
 */
const [dataDir = '', kept = '', task, name = '', ...counts] = process.argv.slice(2);
/** `files`, the URL of a database, or empty for the embedded one. */
const isFiles = kept === 'files';
const databaseUrl = isFiles || kept === '' ? undefined : kept;
const store = openStore({ dataDir, databaseUrl, now: () => new Date() });
if (task === 'many') await writeMany(name, Number(counts[0]), Number(counts[1]));
else await shareOne(SessionId(name), Number(counts[0]));
await store.close();

async function writeMany(prefix: string, sessions: number, turns: number): Promise<void> {
  const ctx = await kernel();
  const ids = Array.from({ length: sessions }, (_, index) => SessionId(`${prefix}-${index}`));
  await Promise.all(ids.map((id) => writeTurns(ctx, ctx.sessions.create(id), turns)));
  await ctx.fiber.dispose();
}

async function writeTurns(ctx: Context, session: Session, turns: number): Promise<void> {
  const log = new LogWriter(session);
  while (log.turn < turns) {
    log.startTurn().prompt(`${session.id} asks ${log.turn}`).startStep();
    await flush(ctx, session);
    log
      .answer({ type: 'text', text: `${session.id} answers ${log.turn}` })
      .endStep()
      .endTurn();
    await flush(ctx, session);
  }
}

async function flush(ctx: Context, session: Session): Promise<void> {
  await ctx.sessions.flush(session);
  console.log(`${session.id} ${session.seq}`);
}

async function shareOne(id: SessionId, turns: number): Promise<void> {
  for (let written = 0; written < turns;) {
    const lease = await store.leases.acquire(id, `process ${process.pid}`, 30_000);
    if (!lease) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    const ctx = await kernel(() => lease.epoch);
    const session = (await ctx.persistence.has(id)) ? await resumed(ctx, id) : ctx.sessions.create(id);
    await writeTurns(ctx, session, session.lastTurn + 1);
    await ctx.fiber.dispose();
    await store.leases.release(lease);
    written += 1;
  }
}

async function resumed(ctx: Context, id: SessionId): Promise<Session> {
  const session = await prepareStoredSession(id, ctx);
  ctx.sessions.enter(session);
  ctx.sessions.announce(session);
  return session;
}

async function kernel(epochOf?: EpochOf): Promise<Context> {
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  if (isFiles) await ctx.plugin(jsonlPersistence, { root: join(dataDir, 'files') });
  else await ctx.plugin(store.persistence(epochOf), undefined);
  return ctx;
}
