import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Context, Fiber } from '../../src/harness/kernel/context.ts';
import { prepareStoredSession } from '../../src/harness/session/prepare-stored-session.ts';
import type { Session } from '../../src/harness/session/session.ts';
import type { SessionStore } from '../../src/harness/session/session-store.ts';
import type { SessionHeader } from '../../src/harness/session/types.ts';
import { providePersistence } from '../../src/store/provide-persistence.ts';
import { LogWriter, rootWithSessions, typesOf } from '../harness/session/session-fixture.ts';
import { codeOfRejection, FlakyBackend, headerOf, persistenceOf, plain } from './contract-storage.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

/** A process: live sessions stored in a backend. */
interface Worker {
  ctx: Context;
  sessions: SessionStore;
  backend: FlakyBackend;
  fiber: Fiber;
}

/** How live sessions are stored, whatever the kind of storage (P13 to P19, P32). */
export function runCoordinatorContract(name: string, makeStorage: MakeStorage): void {
  describe('persistence', () => {
    describe(`coordinator over ${name}`, () => {
      const meta = headerOf('s1');
      let storage: ContractStorage;
      const stored = (header: SessionHeader = meta) => persistenceOf(storage.open()).inspect(header.id);

      beforeEach(async () => {
        storage = await makeStorage();
      });
      afterEach(() => storage.dispose());

      async function worker(before?: (sessions: SessionStore) => void): Promise<Worker> {
        const { ctx, sessions } = await rootWithSessions();
        before?.(sessions);
        const backend = new FlakyBackend(storage.open());
        const fiber = ctx.plugin({
          name: 'store',
          inject: ['sessions'],
          apply: (own) => providePersistence(own, backend),
        });
        await fiber;
        return { ctx, sessions, backend, fiber };
      }

      function live({ sessions }: Worker, seed?: Session['events'], header: SessionHeader = meta): LogWriter {
        return new LogWriter(sessions.create(header.id, { meta: header, ...(seed && { seed }) }));
      }

      it('P13 an error does not poison the work that follows on the same id', async () => {
        const persistence = persistenceOf(storage.open());
        const { events } = new LogWriter().shortTurn().session;
        await persistence.create(meta);

        const outcomes = await Promise.allSettled([
          persistence.append(meta.id, events.slice(3)),
          persistence.append(meta.id, events.slice(0, 3)),
          persistence.append(meta.id, events.slice(0, 1)),
          persistence.append(meta.id, events.slice(3)),
          persistence.load(meta.id),
        ]);

        expect(outcomes.map(({ status }) => status)).toEqual([
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
        expect((await stored()).events).toHaveLength(6);
      });

      it('P14 events wait for the flush, which resolves when they are durable', async () => {
        const w = await worker();
        const log = live(w).shortTurn();
        await new Promise(setImmediate);
        expect(await codeOfRejection(stored())).toBe('SESSION_NOT_STORED');

        await w.sessions.flush(log.session);

        expect((await stored()).events).toEqual(plain(log.session.events));
      });

      it('P14 a failed flush loses nothing, and concurrent flushes store each event once', async () => {
        const w = await worker();
        const log = live(w).shortTurn();
        w.backend.failures = 1;

        await expect(w.sessions.flush(log.session)).rejects.toThrow('disk full');
        log.startTurn();
        await Promise.all([1, 2, 3].map(() => w.sessions.flush(log.session)));
        log.prompt('more');
        await w.sessions.flush(log.session);

        expect(w.backend.batches).toEqual([[0, 1, 2, 3, 4, 5, 6], [7]]);
        expect((await stored()).events).toEqual(plain(log.session.events));
      });

      it('P14 what was stored while its answer was lost is not stored again, and the log goes on', async () => {
        const w = await worker();
        const log = live(w).startTurn();
        for (const goOn of [() => log.prompt('hi'), () => log.startStep()]) {
          w.backend.lostAnswers = 1;
          await expect(w.sessions.flush(log.session)).rejects.toThrow('connection terminated');
          goOn();
        }
        await w.sessions.flush(log.session);

        expect(w.backend.batches).toEqual([[0], [1], [2]]);
        expect((await stored()).events).toEqual(plain(log.session.events));
      });

      it('P14 what another one stored meanwhile is not taken for what failed', async () => {
        const w = await worker();
        const log = live(w).startTurn();
        await w.sessions.flush(log.session);
        log.prompt('ours');
        w.backend.failures = 1;
        await expect(w.sessions.flush(log.session)).rejects.toThrow('disk full');
        await persistenceOf(storage.open()).load(meta.id);
        const { events } = await stored();

        expect(await codeOfRejection(w.sessions.flush(log.session))).not.toBe('resolved');
        expect((await stored()).events).toEqual(events);
      });

      it('P14 events logged while a flush writes belong to the next one', async () => {
        const w = await worker();
        const log = live(w).startTurn();
        await w.sessions.flush(log.session);
        const gate = Promise.withResolvers<void>();
        w.backend.gate = gate.promise;

        log.prompt('before');
        const flush = w.sessions.flush(log.session);
        await new Promise(setImmediate);
        log.startStep();
        gate.resolve();
        await flush;

        expect((await stored()).events).toHaveLength(2);
        await w.sessions.flush(log.session);
        expect(w.backend.batches).toEqual([[0], [1], [2]]);
      });

      it('P15 a new session stores its seed once, also when it was live before the plugin', async () => {
        const seed = new LogWriter().shortTurn().session.events;
        const w = await worker((sessions) => sessions.create(meta.id, { meta, seed }));
        const session = w.sessions.get(meta.id)!;
        new LogWriter(session).startTurn();

        await w.sessions.flush(session);

        expect(w.backend.batches).toEqual([[0, 1, 2, 3, 4, 5], [6]]);
      });

      it('P15 a loaded log is claimed by the session made of it, and only what is new is appended', async () => {
        const first = await worker();
        const log = live(first).shortTurn();
        await first.fiber.dispose();
        const w = await worker();

        const session = await prepareStoredSession(meta.id, w.ctx);
        w.sessions.enter(session);
        w.sessions.announce(session);
        new LogWriter(session).startTurn();
        await w.sessions.flush(session);

        expect(w.backend.batches).toEqual([[6]]);
        expect((await stored()).events.slice(0, 6)).toEqual(plain(log.session.events));
      });

      it('P15 a tracked log is not claimed by another cwd or another history', async () => {
        const w = await worker();
        await w.ctx.persistence.create(meta);
        const elsewhere = live(w, undefined, { ...meta, cwd: '/elsewhere' }).startTurn();
        expect(await codeOfRejection(w.sessions.flush(elsewhere.session))).toBe('SESSION_ID_TAKEN');
        w.sessions.detach(elsewhere.session);

        const other = headerOf('s2');
        await w.ctx.persistence.create(other);
        await w.ctx.persistence.append(other.id, new LogWriter().shortTurn('stored').session.events);
        const different = live(w, new LogWriter().shortTurn('different').session.events, other);
        expect(await codeOfRejection(w.sessions.flush(different.session))).toBe('SESSION_ID_TAKEN');
        expect((await stored(other)).events[1]?.data).toMatchObject({ content: [{ text: 'stored' }] });
      });

      it('P15 a log written by a live session is not given to a successor until that one is stored and gone', async () => {
        const w = await worker();
        const log = live(w).shortTurn();
        w.backend.failures = 1;
        w.sessions.detach(log.session);
        const successor = live(w).startTurn();

        expect(await codeOfRejection(w.sessions.flush(successor.session))).toBe('SESSION_ID_TAKEN');

        const quiet = headerOf('s2');
        w.sessions.detach(live(w, undefined, quiet).session);
        const next = live(w, undefined, quiet).startTurn();
        await w.sessions.flush(next.session);
        expect((await stored(quiet)).events).toHaveLength(1);
      });

      it('P16 a live log whose prefix is stored is taken over: a torn tail is cut and no closers are added', async () => {
        const log = new LogWriter().shortTurn().startTurn().prompt('hi').startStep();
        const before = persistenceOf(storage.open());
        await before.create(meta);
        await before.append(meta.id, log.session.events.slice(0, 8));
        await storage.tear(meta);
        const w = await worker();

        const session = live(w, log.session.events).session;
        await w.sessions.flush(session);

        expect(w.backend.closers).toEqual([[]]);
        expect(w.backend.batches).toEqual([[8]]);
        expect((await stored()).events).toEqual(plain(log.session.events));
      });

      it('P16 another history, another cwd or no cwd is a collision that the next flush tells', async () => {
        const before = persistenceOf(storage.open());
        await before.create(meta);
        await before.append(meta.id, new LogWriter().shortTurn('stored').session.events);
        const { cwd: _cwd, ...noCwd } = meta;

        for (const header of [meta, { ...meta, cwd: '/elsewhere' }, noCwd]) {
          const w = await worker();
          const { session } = live(w, undefined, header).startTurn();
          expect(await codeOfRejection(w.sessions.flush(session))).toBe('SESSION_ID_TAKEN');
        }
        expect((await stored()).events).toHaveLength(6);
      });

      it('P17 a disposed session is drained and its log is free for the next load', async () => {
        const w = await worker();
        const log = live(w).startTurn().prompt('hi');

        w.sessions.detach(log.session);
        const loaded = await w.ctx.persistence.load(meta.id);

        expect(typesOf(loaded.events)).toEqual(['turn/start', 'user/message', 'turn/end']);
      });

      it('P17 the log of a live session cannot be loaded, since mending would end its turn', async () => {
        const w = await worker();
        const log = live(w).startTurn();
        await w.sessions.flush(log.session);

        expect(await codeOfRejection(w.ctx.persistence.load(meta.id))).toBe('SESSION_IS_LIVE');
        expect(typesOf((await w.ctx.persistence.inspect(meta.id)).events)).toEqual(['turn/start']);
      });

      it('P18 unloading stores what is left, of live sessions and of those whose drain failed, then closes', async () => {
        const w = await worker();
        const gone = live(w).shortTurn();
        w.backend.failures = 1;
        w.sessions.detach(gone.session);
        await new Promise(setImmediate);
        const stays = live(w, undefined, headerOf('s2')).shortTurn();

        await w.fiber.dispose();
        stays.startTurn();

        expect((await stored()).events).toHaveLength(6);
        expect((await stored(headerOf('s2'))).events).toHaveLength(6);
        expect(w.backend.isClosed).toBe(true);
      });

      it('P18 unloading waits for the last drain of a session that is just leaving', async () => {
        const w = await worker();
        const log = live(w).shortTurn();

        w.sessions.detach(log.session);
        await w.fiber.dispose();

        expect((await stored()).events).toHaveLength(6);
        expect(w.backend.batches).toHaveLength(1);
      });

      it('P18 failures of unloading come together, and a close error hides no drain error', async () => {
        const w = await worker();
        live(w).shortTurn();
        live(w, undefined, headerOf('s2')).shortTurn();
        w.backend.failures = 99;
        w.backend.closeFails = true;

        const error = await w.fiber.dispose().then(
          () => undefined,
          (reason: unknown) => reason as AggregateError,
        );

        expect(error?.errors.map((one: Error) => one.message)).toEqual(['disk full', 'disk full', 'close failed']);
      });

      it('P32 a resumed session keeps its header and lineage and opens a new turn', async () => {
        const header = headerOf('s1', {
          parentSession: headerOf('p').id,
          seedLength: 2,
          delegationDepth: 1,
          createdAt: 5,
        });
        const first = await worker();
        const log = live(first, undefined, header).turnWithCalls('c1').startCall('c1');
        await first.sessions.flush(log.session);
        const w = await worker();

        const session = await prepareStoredSession(header.id, w.ctx);
        expect(w.sessions.list()).toEqual([]);
        w.sessions.enter(session);
        w.sessions.announce(session);

        expect(session.header).toEqual(header);
        expect(session.openTurn).toBeUndefined();
        new LogWriter(session).shortTurn();
        await w.sessions.flush(session);
        expect((await stored(header)).events).toEqual(plain(session.events));
        expect(session.lastTurn).toBe(2);
      });
    });
  });
}
