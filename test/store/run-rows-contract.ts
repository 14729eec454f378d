import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { LogWriter, text } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, persistenceOf, plain } from './contract-storage.ts';
import type { ContractStorage } from './contract-storage.ts';

type Row = Record<string, unknown>;
export interface RowStorage extends ContractStorage {
  readonly tables: { sessions: string; events: string };
  /** All rows of a table. */
  rows(table: string): Promise<Row[]>;
  run(sql: string): Promise<unknown>;
  /** Makes the database refuse every event with this seq. */
  refuse(seq: number): Promise<void>;
  allow(): Promise<void>;
}

/** What a store of two tables writes into them (P27, P28). */
export function runRowsContract(name: string, makeStorage: () => Promise<RowStorage>): void {
  describe('persistence', () => {
    describe(`rows of ${name}`, () => {
      const meta = headerOf('s1');
      let storage: RowStorage;
      const inspect = () => persistenceOf(storage.open()).inspect(meta.id);

      beforeEach(async () => {
        storage = await makeStorage();
      });
      afterEach(() => storage.dispose());

      it('P27 tells the length of each log without reading it, also to whoever only has the service', async () => {
        const events = new LogWriter().shortTurn().session.events;
        const backend = storage.open();
        await backend.appendBatch(meta, events, false);
        await backend.appendBatch(headerOf('s2'), events.slice(0, 1), false);

        const lengths = await persistenceOf(backend).lengths!();
        expect([...lengths].sort()).toEqual([
          ['s1', events.length],
          ['s2', 1],
        ]);
      });

      it('P27 one row for the header, one for each event, JSON as text, NULL for what is absent', async () => {
        const { cwd: _cwd, delegationDepth: _depth, ...bare } = meta;
        const log = new LogWriter().turnWithCalls('c1').startCall('c1').endCall('c1').endStep().endTurn();
        const header = { ...headerOf('s2'), parentSession: meta.id, seedLength: 3 };
        const backend = storage.open();
        await backend.appendBatch(bare, log.session.events, false);
        await backend.appendBatch(header, log.session.events.slice(0, 1), false);

        const sessions = (await storage.rows('sessions')).map(plain);
        expect(sessions).toMatchObject([
          { id: 's1', cwd: null, parent_session: null, seed_length: null, delegation_depth: null },
          { id: 's2', cwd: '/work', parent_session: 's1' },
        ]);
        expect(sessions.map((row) => [row['version'], row['created_at'], row['lease_epoch']].map(Number))).toEqual([
          [0, 1_700_000_000_000, 0],
          [0, 1_700_000_000_000, 0],
        ]);
        const events = (await storage.rows('events')).filter((row) => row['session_id'] === 's1');
        expect(events.map((row) => [Number(row['seq']), row['type'], row['data']])).toEqual(
          log.session.events.map(({ seq, type, data }) => [seq, type, JSON.stringify(data)]),
        );
        expect(events.map((row) => [row['surface_op'], row['source_event_seqs']])).toEqual([
          [null, null],
          ['"append"', null],
          [null, null],
          ['"append"', null],
          [null, null],
          ['"append"', '[4]'],
          [null, null],
          [null, null],
        ]);
      });

      it('P27 what the columns cannot hold exactly is refused, and nothing is written', async () => {
        const backend = storage.open();
        const [start] = new LogWriter().startTurn().session.events;
        const odd = [
          [{ ...meta, cwd: '/w\ud83d' }, start],
          [headerOf('a\0b'), start],
          [meta, { ...start, extra: 1 }],
          [meta, { ...start, type: 'x\ud83d' }],
        ] as [typeof meta, SessionEvent][];

        for (const [header, event] of odd) {
          await expect(backend.appendBatch(header, [event], false)).rejects.toThrow(TypeError);
        }
        expect(await backend.list()).toEqual([]);
        expect(await storage.rows('events')).toEqual([]);
      });

      it('P27 a session is there when its row is, and reading long logs loses nothing', async () => {
        const log = new LogWriter().startTurn().prompt('go').startStep();
        for (let i = 0; i < 2_500; i++) log.chunk(`piece ${i}`);
        log
          .answer(...text('done'))
          .endStep()
          .endTurn();
        const persistence = persistenceOf(storage.open());
        await persistence.create(meta);
        expect(await persistence.has(meta.id)).toBe(false);

        await persistence.append(meta.id, log.session.events);

        expect(await persistence.has(meta.id)).toBe(true);
        expect(persistence.locate(meta)).toBeUndefined();
        expect((await inspect()).events).toEqual(plain(log.session.events));
      });

      it('P28 a batch that fails in the middle leaves nothing, not even its session', async () => {
        await storage.open().list();
        await storage.refuse(3);
        const { events } = new LogWriter().shortTurn().session;
        const persistence = persistenceOf(storage.open());
        await persistence.create(meta);

        await expect(persistence.append(meta.id, events)).rejects.toThrow();
        expect([await storage.rows('sessions'), await storage.rows('events')]).toEqual([[], []]);

        await storage.allow();
        await persistence.append(meta.id, events);
        expect((await inspect()).events).toEqual(plain(events));
      });

      it('P28 a first batch that does not begin the log leaves no session', async () => {
        const backend = storage.open();
        const { events } = new LogWriter().shortTurn().session;

        expect(await codeOfRejection(backend.appendBatch(meta, events.slice(1), false))).toBe('SEQ_MISMATCH');
        expect(await backend.list()).toEqual([]);
      });

      it('P28 of batches that go together a failing one costs no other', async () => {
        const backend = storage.open();
        await backend.list();
        await storage.refuse(3);
        const { events } = new LogWriter().shortTurn().session;
        const headers = ['a', 'b', 'c'].map((id) => headerOf(id));
        const lengths = [3, 6, 2];

        const outcomes = await Promise.allSettled(
          headers.map((header, index) => backend.appendBatch(header, events.slice(0, lengths[index]), false)),
        );

        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((await backend.list()).map(({ id }) => id).toSorted()).toEqual(['a', 'c']);
      });

      it('P28 a repair that fails leaves the torn tail where it was', async () => {
        await storage
          .open()
          .appendBatch(meta, new LogWriter().startTurn().prompt('hi').startStep().session.events, false);
        await storage.tear(meta);
        await storage.refuse(4);

        await expect(persistenceOf(storage.open()).load(meta.id)).rejects.toThrow();
        expect((await storage.rows('events')).map((row) => row['data']).at(-1)).toBe('{"todos":[');

        await storage.allow();
        expect((await persistenceOf(storage.open()).load(meta.id)).events).toHaveLength(5);
      });

      it('P19 a log that is torn from its first event on is mended to an empty one that goes on', async () => {
        const { events } = new LogWriter().shortTurn().session;
        await storage.open().appendBatch(meta, events.slice(0, 1), false);
        await storage.run(`update ${storage.tables.events} set data = '{' where seq = 0`);
        const persistence = persistenceOf(storage.open());

        expect((await persistence.load(meta.id)).events).toEqual([]);
        await persistence.append(meta.id, events);
        expect((await inspect()).events).toEqual(plain(events));
      });

      it.each([
        ['a row that cannot be read', `update TABLE set data = '{' where seq = 2`],
        ['data that is no object', `update TABLE set data = '1' where seq = 2`],
        ['a missing row', 'delete from TABLE where seq = 2'],
        ['a turn end that cannot be read', `update TABLE set data = '{' where seq = 5`],
      ])('P8 %s at or before a turn end is corruption, and stays as it is', async (_name, sql) => {
        await storage.open().appendBatch(meta, new LogWriter().shortTurn().session.events, false);
        await storage.run(sql.replace('TABLE', storage.tables.events));
        const before = await storage.rows('events');

        expect(await codeOfRejection(persistenceOf(storage.open()).load(meta.id))).toBe('CORRUPT_SESSION');
        expect(await storage.rows('events')).toEqual(before);
      });

      it('P6 a stored event of the removed vocabulary is refused, not repaired', async () => {
        await storage.open().appendBatch(meta, new LogWriter().startTurn().prompt('hi').session.events, false);
        await storage.run(`update ${storage.tables.events} set type = 'mode/set', surface_op = null where seq = 1`);
        const before = await storage.rows('events');

        expect(await codeOfRejection(persistenceOf(storage.open()).load(meta.id))).toBe('INVALID_EVENT');
        expect(await storage.rows('events')).toEqual(before);
      });

      it('P6 a session of another version is refused by name of both', async () => {
        await storage.open().appendBatch(meta, new LogWriter().shortTurn().session.events, false);
        await storage.run(`update ${storage.tables.sessions} set version = 7`);

        await expect(inspect()).rejects.toMatchObject({
          code: 'FOREIGN_FORMAT',
          message: expect.stringMatching(/7.*0/),
        });
      });

      it('P4 two processes that write one log without a lease: the second is refused', async () => {
        const { events } = new LogWriter().shortTurn().shortTurn().session;
        const [first, second] = [storage.open(), storage.open()];
        await first.appendBatch(meta, events.slice(0, 6), false);

        expect(await codeOfRejection(second.appendBatch(meta, events.slice(0, 6), false))).toBe('SESSION_ID_TAKEN');
        expect(await codeOfRejection(second.appendBatch(meta, events.slice(3, 7), true))).toBe('SEQ_MISMATCH');
        expect(await codeOfRejection(second.appendBatch(meta, events.slice(7), true))).toBe('SEQ_MISMATCH');
        expect((await inspect()).events).toHaveLength(6);
      });
    });
  });
}
