import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionEvent, SessionHeader } from '../../src/harness/session/types.ts';
import { ANSWER, appendRaw, LogWriter, loneSession, text, typesOf } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, persistenceOf, plain } from './contract-storage.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

/** What every kind of storage must do, seen through the seam (P1 to P12). */
export function runPersistenceContract(name: string, makeStorage: MakeStorage): void {
  describe('persistence', () => {
    describe(`contract of ${name}`, () => {
      const meta = headerOf('s1');
      let storage: ContractStorage;
      const open = () => persistenceOf(storage.open());

      beforeEach(async () => {
        storage = await makeStorage();
      });
      afterEach(() => storage.dispose());

      async function store(events: readonly SessionEvent[], header: SessionHeader = meta): Promise<void> {
        const persistence = open();
        await persistence.create(header);
        await persistence.append(header.id, events);
      }

      it('P1 gives back exactly the header and the events, chunks included', async () => {
        const header = headerOf('s1', { parentSession: headerOf('p').id, seedLength: 3, delegationDepth: 2 });
        const log = new LogWriter().startTurn().prompt('ä🙂\u2028"\\').startStep();
        for (let i = 0; i < 20; i++) log.chunk(`piece ${i} \ud83d`);
        log
          .answer(...text('done'))
          .endStep()
          .endTurn();

        await store(log.session.events, header);
        const loaded = await open().load(header.id);

        expect(loaded.meta).toEqual(header);
        expect(loaded.events).toEqual(plain(log.session.events));
        expect(loaded.events.every((event, index) => event.seq === index)).toBe(true);
        expect((await open().inspect(header.id)).events).toEqual(loaded.events);
      });

      it('P1 many batches read as one log', async () => {
        const log = new LogWriter();
        const persistence = open();
        await persistence.create(meta);
        let stored = 0;
        for (let i = 0; i < 5; i++) {
          log.shortTurn(`q${i}`);
          await persistence.append(meta.id, log.session.events.slice(stored));
          stored = log.session.seq;
        }

        expect((await open().load(meta.id)).events).toEqual(plain(log.session.events));
      });

      it('P2 create writes nothing, and an empty batch stays lazy', async () => {
        const persistence = open();
        await persistence.create(meta);
        await persistence.append(meta.id, []);

        expect(await persistence.list()).toEqual([]);
        expect(await codeOfRejection(persistence.inspect(meta.id))).toBe('SESSION_NOT_STORED');
        await open().create(meta);
      });

      it('P2 header and batch are taken as they are at the call', async () => {
        const persistence = open();
        const header = { ...meta };
        const events = plain(new LogWriter().shortTurn('before').session.events) as SessionEvent[];

        const created = persistence.create(header);
        Object.assign(header, { cwd: '/elsewhere' });
        await created;
        const appended = persistence.append(meta.id, events);
        Object.assign(events[1]!.data, { content: text('after') });
        events.length = 0;
        await appended;

        const loaded = await open().load(meta.id);
        expect(loaded.meta.cwd).toBe('/work');
        expect(loaded.events[1]?.data).toMatchObject({ content: text('before') });
      });

      it('P3 create rejects an id that is known in memory or stored under any cwd', async () => {
        const persistence = open();
        await persistence.create(meta);
        expect(await codeOfRejection(persistence.create(meta))).toBe('SESSION_ID_TAKEN');
        await persistence.append(meta.id, new LogWriter().shortTurn().session.events);

        const { cwd: _cwd, ...without } = meta;
        expect(await codeOfRejection(open().create({ ...meta, cwd: '/elsewhere' }))).toBe('SESSION_ID_TAKEN');
        expect(await codeOfRejection(open().create(without))).toBe('SESSION_ID_TAKEN');
      });

      it('P4 a batch begins at the stored length and has no gap, or nothing is written', async () => {
        const { events } = new LogWriter().shortTurn().shortTurn().session;
        await store(events.slice(0, 6));
        const persistence = open();
        const attempts = [events.slice(5), events.slice(7), [events[6]!, events[8]!], events.slice(0, 6)];

        for (const batch of attempts) {
          expect(await codeOfRejection(persistence.append(meta.id, batch))).toBe('SEQ_MISMATCH');
        }
        expect((await open().inspect(meta.id)).events).toHaveLength(6);
        await persistence.append(meta.id, events.slice(6));
        expect((await open().inspect(meta.id)).events).toHaveLength(12);
      });

      it.each([
        ['bigint', 1n],
        ['undefined', undefined],
        ['Infinity', Infinity],
        ['function', () => 1],
        ['symbol', Symbol('s')],
        ['Map', new Map()],
      ])('P4 rejects a batch that holds a %s anywhere', async (_name, value) => {
        const events = new LogWriter().startTurn().session.events.slice() as SessionEvent[];
        const bad = { type: 'plugin/any', seq: 1, time: 1, data: { deep: [value] } } as unknown as SessionEvent;
        const persistence = open();
        await persistence.create(meta);

        await expect(persistence.append(meta.id, [...events, bad])).rejects.toThrow(TypeError);
        expect(await persistence.list()).toEqual([]);
      });

      it('P5 an append to an id that is only stored mends it first and goes on after the closers', async () => {
        const log = new LogWriter().startTurn().prompt('hi').startStep();
        await store(log.session.events);
        const again = new LogWriter(loneSession(log.session.events));
        again.step = 1;
        again.endStep().endTurn({ kind: 'interrupted' }).shortTurn();

        await open().append(meta.id, again.session.events.slice(5));

        const { events } = await open().inspect(meta.id);
        expect(typesOf(events).slice(0, 7)).toEqual([
          ...typesOf(log.session.events),
          'step/end',
          'turn/end',
          'turn/start',
          'user/message',
        ]);
        expect(await codeOfRejection(open().append(headerOf('unknown').id, log.session.events))).toBe(
          'SESSION_NOT_STORED',
        );
      });

      it('P6 rejects unknown ids, and never writes vocabulary that cannot be read again', async () => {
        const persistence = open();
        await persistence.create(meta);
        const [start] = new LogWriter().startTurn().session.events;
        const later = (type: string, data: object) => ({ type, seq: 1, time: 1, data }) as unknown as SessionEvent;

        expect(await codeOfRejection(persistence.load(headerOf('unknown').id))).toBe('SESSION_NOT_STORED');
        expect(await codeOfRejection(persistence.load(meta.id))).toBe('SESSION_NOT_STORED');
        for (const event of [
          later('request/header-delta', {}),
          later('mode/set', { mode: 'x' }),
          later('request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' }),
        ]) {
          expect(await codeOfRejection(persistence.append(meta.id, [start!, event]))).toBe('INVALID_EVENT');
        }
        expect(await persistence.list()).toEqual([]);
      });

      it('P7 what load returns is detached: changing it redirects no later write', async () => {
        const log = new LogWriter().shortTurn();
        await store(log.session.events);
        const persistence = open();
        const loaded = await persistence.load(meta.id);

        Object.assign(loaded.meta, { cwd: '/elsewhere', id: 'other' });
        expect(Object.isFrozen(loaded.events) && Object.isFrozen(loaded.events[1]?.data)).toBe(true);
        await persistence.append(meta.id, log.shortTurn().session.events.slice(6));

        const again = await open().load(meta.id);
        expect(again.meta).toEqual(meta);
        expect(again.events).toHaveLength(12);
      });

      it('P8 a record torn at the end is dropped by load, and only passed over by inspect', async () => {
        const log = new LogWriter().shortTurn().startTurn().prompt('hi');
        await store(log.session.events);
        await storage.tear(meta);

        const seen = await open().inspect(meta.id);
        const seenAgain = await open().inspect(meta.id);
        const loaded = await open().load(meta.id);

        expect(seen.events).toEqual(plain(log.session.events));
        expect(seenAgain).toEqual(seen);
        expect(typesOf(loaded.events)).toEqual([...typesOf(log.session.events), 'turn/end']);
        expect((await open().inspect(meta.id)).events).toEqual(loaded.events);
      });

      it('P9 P10 an unclosed turn is kept and closed in storage', async () => {
        const log = new LogWriter().turnWithCalls('c1', 'c2').startCall('c1');
        await store(log.session.events);

        const { events } = await open().load(meta.id);

        expect(events.slice(0, log.session.seq)).toEqual(plain(log.session.events));
        expect(events.slice(log.session.seq).map((event) => [event.type, event.seq])).toEqual([
          ['tool/result', 5],
          ['tool/result', 6],
          ['step/end', 7],
          ['turn/end', 8],
        ]);
        expect(events.at(-1)?.data).toMatchObject({ reason: { kind: 'interrupted' } });
      });

      it('P11 B5 balanced and parked logs are left alone', async () => {
        const log = new LogWriter().shortTurn().parkedTurn('c1', 'c2');
        await store(log.session.events);

        expect((await open().load(meta.id)).events).toEqual(plain(log.session.events));
      });

      it('B6 the calls of a parked turn get their results when the answering turn was cut off', async () => {
        const log = new LogWriter().parkedTurn('c1').startTurn(ANSWER);
        appendRaw(log.session, 'approval/decided', { id: 'ap_1', outcome: 'allowed-once' });
        await store(log.session.events);

        const { events } = await open().load(meta.id);

        expect(events.at(-2)?.data).toMatchObject({ callId: 'c1', error: { code: 'TOOL_OUTCOME_UNKNOWN' } });
        expect(loneSession(events).parkedCalls).toEqual([]);
      });

      it('P12 closers are durable when load resolves, a second load adds none, and appends go on after them', async () => {
        await store(new LogWriter().startTurn().prompt('hi').startStep().session.events);
        const persistence = open();
        const first = await persistence.load(meta.id);

        expect((await open().inspect(meta.id)).events).toEqual(first.events);
        expect((await persistence.load(meta.id)).events).toEqual(first.events);
        const log = new LogWriter(loneSession(first.events)).shortTurn();
        await persistence.append(meta.id, log.session.events.slice(first.events.length));
        expect((await open().load(meta.id)).events).toEqual(plain(log.session.events));
      });

      it('list gives the headers of what was stored, of every cwd', async () => {
        const headers = [
          headerOf('a'),
          headerOf('b', { cwd: '/other' }),
          headerOf('gh-1-2-3/~..', { parentSession: meta.id }),
          { ...headerOf('none'), cwd: undefined },
        ].map((header) => plain(header));
        for (const header of headers) await store(new LogWriter().shortTurn().session.events, header);

        const listed = await open().list();

        expect(listed.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
          headers.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        );
      });
    });
  });
}
