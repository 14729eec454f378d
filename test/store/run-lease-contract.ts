import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { holdLease } from '../../src/store/hold-lease.ts';
import type { EpochOf, SessionLeases } from '../../src/store/lease.ts';
import type { PersistenceBackend } from '../../src/store/persistence-backend.ts';
import { providePersistence } from '../../src/store/provide-persistence.ts';
import { LogWriter, rootWithSessions } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, persistenceOf } from './contract-storage.ts';
import type { ContractStorage } from './contract-storage.ts';

export interface LeaseStorage extends ContractStorage {
  open(epochOf?: EpochOf): PersistenceBackend<unknown>;
  /** Leases as a new process would see them. */
  leases(): SessionLeases;
  /** Loses all leases, as a clean-up of old ones does. */
  forget(): Promise<void>;
  /** Lets every lease run out. */
  expire(): Promise<void>;
}

/** Who may write a session that many workers want (B1). */
export function runLeaseContract(name: string, makeStorage: () => Promise<LeaseStorage>): void {
  describe('persistence', () => {
    describe(`leases in ${name}`, () => {
      const meta = headerOf('s1');
      const id = meta.id;
      const { events } = new LogWriter().shortTurn().shortTurn().session;
      let storage: LeaseStorage;
      let leases: SessionLeases;
      const stored = async () => (await persistenceOf(storage.open(() => 99)).inspect(id)).events;

      beforeEach(async () => {
        storage = await makeStorage();
        leases = storage.leases();
      });
      afterEach(() => storage.dispose());

      it('B1 a lease is one holder’s until it is given up or runs out, and each next one has a higher epoch', async () => {
        const first = await leases.acquire(id, 'a', 60_000);
        expect(first).toEqual({ session: id, epoch: 1 });
        expect(await storage.leases().acquire(id, 'b', 60_000)).toBeUndefined();
        expect(await leases.acquire(id, 'a', 60_000)).toBeUndefined();
        expect((await leases.acquire(SessionId('s2'), 'b', 60_000))?.epoch).toBe(1);

        await leases.release(first!);
        expect((await leases.acquire(id, 'b', 60_000))?.epoch).toBe(2);
        await storage.expire();
        expect((await leases.acquire(id, 'c', 60_000))?.epoch).toBe(3);
      });

      it('B1 what is held at the moment can be seen by all', async () => {
        const first = await leases.acquire(id, 'a', 60_000);
        await leases.acquire(SessionId('s2'), 'b', 60_000);
        const held = await storage.leases().held();
        expect(held.get(id)).toEqual({ owner: 'a', epoch: 1 });
        expect(held.get(SessionId('s2'))).toEqual({ owner: 'b', epoch: 1 });

        await leases.release(first!);
        expect([...(await storage.leases().held()).keys()]).toEqual(['s2']);
        await storage.expire();
        expect((await storage.leases().held()).size).toBe(0);
      });

      it('B1 a lease of a process that is known to be gone is taken at once, and of no other', async () => {
        await leases.acquire(id, 'gone', 60_000);
        await leases.acquire(SessionId('s2'), 'alive', 60_000);
        const terms = {
          leases: storage.leases(),
          owner: 'me',
          ttlMs: 60_000,
          isGone: (owner: string) => owner === 'gone',
        };

        const [taken, left] = [await holdLease(id, terms), await holdLease(SessionId('s2'), terms)];

        expect(taken?.lease.epoch).toBe(2);
        expect(left).toBeUndefined();
        await taken!.release();
      });

      it('B1 of many that ask at once one gets it', async () => {
        const workers = Array.from({ length: 8 }, () => storage.leases());
        await Promise.all(workers.map((worker) => worker.heartbeat({ session: id, epoch: 1 }, 1)));

        for (const session of ['a', 'b', 'c', 'd', 'e'].map((name) => SessionId(name))) {
          const got = await Promise.all(workers.map((worker, index) => worker.acquire(session, `w${index}`, 60_000)));
          expect(got.filter(Boolean)).toEqual([{ session, epoch: 1 }]);
        }
      });

      it('B1 a heartbeat keeps the lease, and tells who has lost it', async () => {
        const lost = (await leases.acquire(id, 'a', 60_000))!;
        await storage.expire();
        expect(await leases.heartbeat(lost, 60_000)).toBe(true);
        expect(await leases.acquire(id, 'b', 60_000)).toBeUndefined();

        await storage.expire();
        const held = (await leases.acquire(id, 'b', 60_000))!;

        expect(await leases.heartbeat(lost, 60_000)).toBe(false);
        await leases.release(lost);
        expect(await leases.acquire(id, 'c', 60_000)).toBeUndefined();
        expect(await leases.heartbeat(held, 60_000)).toBe(true);
        await leases.release(held);
        expect(await leases.heartbeat(held, 60_000)).toBe(false);
      });

      it('B1 who has lost the lease can neither append nor mend, also before the next holder has written', async () => {
        const { epoch } = (await leases.acquire(id, 'a', 60_000))!;
        const late = storage.open(() => epoch);
        await late.appendBatch(meta, events.slice(0, 6), false);
        await storage.expire();
        const next = (await leases.acquire(id, 'b', 60_000))!;

        expect(await codeOfRejection(late.appendBatch(meta, events.slice(6), true))).toBe('STALE_LEASE');
        expect(await codeOfRejection(late.commitRepair(meta, 3, []))).toBe('STALE_LEASE');
        expect(await stored()).toHaveLength(6);

        await storage.open(() => next.epoch).appendBatch(meta, events.slice(6), true);
        expect(await stored()).toHaveLength(12);
      });

      it('B1 nor can it begin the session, once another one holds the lease of it', async () => {
        const { epoch } = (await leases.acquire(id, 'a', 60_000))!;
        const late = storage.open(() => epoch);
        await storage.expire();
        await leases.acquire(id, 'b', 60_000);

        expect(await codeOfRejection(late.appendBatch(meta, events.slice(0, 6), false))).toBe('STALE_LEASE');
        expect(await late.list()).toEqual([]);
      });

      it('B1 nor can it begin, or go on with, the log of a child agent', async () => {
        const { epoch } = (await leases.acquire(id, 'a', 60_000))!;
        const child = headerOf(`${id}-sub-a`, { parentSession: id });
        const { events } = new LogWriter().shortTurn().session;
        const worker = storage.open((session) => (session === id ? epoch : 0));
        await worker.appendBatch(child, events.slice(0, 3), false);
        await storage.expire();
        await leases.acquire(id, 'b', 60_000);

        expect(await codeOfRejection(worker.appendBatch(child, events.slice(3), true))).toBe('STALE_LEASE');
        const another = headerOf(`${id}-sub-b`, { parentSession: id });
        expect(await codeOfRejection(worker.appendBatch(another, events, false))).toBe('STALE_LEASE');
        expect(await storage.open().has(another.id)).toBe(false);
      });

      it('B1 a session that was ever leased is not written without a lease', async () => {
        const lease = (await leases.acquire(id, 'a', 60_000))!;
        await storage.open(() => lease.epoch).appendBatch(meta, events.slice(0, 6), false);
        await leases.release(lease);

        const append = persistenceOf(storage.open()).append(id, events.slice(6));

        expect(await codeOfRejection(append)).toBe('STALE_LEASE');
        expect(await stored()).toHaveLength(6);
      });

      it('B1 the session itself remembers its epoch when the leases are gone', async () => {
        const first = (await leases.acquire(id, 'a', 60_000))!;
        const late = storage.open(() => first.epoch);
        await late.appendBatch(meta, events.slice(0, 6), false);
        await storage.expire();
        await leases.acquire(id, 'b', 60_000);
        await storage.forget();

        expect(await codeOfRejection(late.appendBatch(meta, events.slice(6), true))).toBe('STALE_LEASE');
        expect((await leases.acquire(id, 'c', 60_000))?.epoch).toBe(3);
      });

      it('B1 a worker that wakes up late is told by its next flush, and leaves nothing behind', async () => {
        const { epoch } = (await leases.acquire(id, 'a', 60_000))!;
        const { ctx, sessions } = await rootWithSessions();
        const apply = (own: typeof ctx) =>
          providePersistence(
            own,
            storage.open(() => epoch),
          );
        const fiber = ctx.plugin({ name: 'store', inject: ['sessions'], apply });
        await fiber;
        const log = new LogWriter(sessions.create(id, { meta })).startTurn();
        await sessions.flush(log.session);
        await storage.expire();
        await leases.acquire(id, 'b', 60_000);

        log.prompt('too late');

        expect(await codeOfRejection(sessions.flush(log.session))).toBe('STALE_LEASE');
        await expect(fiber.dispose()).rejects.toThrow('could not store everything');
        expect(await stored()).toHaveLength(1);
      });
    });
  });
}
