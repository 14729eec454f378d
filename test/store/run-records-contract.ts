import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { LONGEST_LEASE_MS } from '../../src/store/lease.ts';
import { probeWrite } from '../../src/store/records/probe-write.ts';
import type { HumanAnswer, HumanRequest, NewDelivery, Records } from '../../src/store/records.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import type { RecordDatabase } from '../../src/store/records/record-database.ts';
import { codeOfRejection, headerOf } from './contract-storage.ts';
import { RECORD_TABLES } from './sqlite-storage.ts';
import type { LeaseStorage } from './run-lease-contract.ts';

export interface RecordStorage extends LeaseStorage {
  /** Records as a new process would open them; `now` in epoch milliseconds. */
  records(now: () => number): Records;
  database(): RecordDatabase;
  /** Makes it what version 1 of the tables was: none of the records; or version 2: causes without a time. */
  goBack(version?: 1 | 2): Promise<void>;
  /** Lets every lease have run out so long ago. */
  age(ms: number): Promise<void>;
  /** All rows of a table of ours, in one order. */
  rows(table: string): Promise<Record<string, unknown>[]>;
  run(sql: string): Promise<unknown>;
  readonly tables: { sessions: string; events: string };
}

const SESSION = SessionId('gh-1-7-1');
const ANSWER: HumanAnswer = {
  actor: { id: 5, login: 'maria' },
  how: 'command',
  value: 'not today',
  url: 'https://github.test/c/1',
  at: 2_000,
};

function delivery(id: string, more: Partial<NewDelivery> = {}): NewDelivery {
  return { id, key: '1-7', name: 'issue_comment', payload: { odd: 'a\0b \ud83d', n: 1.5 }, receivedAt: 1_000, ...more };
}

function request(id: string, more: Partial<HumanRequest> = {}): HumanRequest {
  return {
    ...{ id, kind: 'approval', session: SESSION, repo: 1, turn: 2, callId: 'c1', tool: 'bash', digest: 'd' },
    ...{ data: { command: 'rm' }, job: { job: 'fix' }, askedOf: { id: 5, login: 'maria' }, commentId: undefined },
    ...{ askedAt: 1_000, expiresAt: 9_000, state: 'pending', answer: undefined },
    ...more,
  };
}

/** One of each kind of write beside the logs. */
function writesOf({ inbox, causes, requests, snapshots, subjects, settings, spending }: Records) {
  const session = SESSION;
  return {
    put: () => inbox.put(delivery('d8')),
    begin: () => inbox.begin('d7'),
    done: () => inbox.done('d7'),
    cause: () => causes.take(1, 'another', 'd7'),
    ask: () => requests.add(request('ap_8')),
    comment: () => requests.commented('ap_7', 5),
    settle: () => requests.settle('ap_7', 'allowed', ANSWER),
    snapshot: () => snapshots.put(session, { base: 'b', digest: 'e', bytes: new Uint8Array(1) }),
    drop: () => snapshots.drop(session),
    assign: () => subjects.assign(1, 7, SessionId('other')),
    set: () => settings.set(session, { title: 'late' }),
    spend: () => spending.add('person:5', 1, 1_000),
    count: () => spending.count('commands:5', 1_000, 1_000),
    erase: () => settings.erase(session),
  };
}

async function fillAll({ inbox, requests, snapshots, subjects, settings }: Records): Promise<void> {
  await inbox.put(delivery('d7'));
  await requests.add(request('ap_7'));
  await snapshots.put(SESSION, { base: 'b', digest: 'd', bytes: new Uint8Array(1) });
  await subjects.assign(1, 7, SESSION);
  await settings.set(SESSION, { title: 'ours' });
}

async function allRows(storage: RecordStorage): Promise<unknown> {
  const tables = ['sessions', 'events', ...RECORD_TABLES];
  return Promise.all(tables.map(async (table) => [table, await storage.rows(table)]));
}

/** What is kept beside the session logs, whichever database keeps it. */
export function runRecordsContract(name: string, makeStorage: () => Promise<RecordStorage>): void {
  describe(`records in ${name}`, () => {
    let storage: RecordStorage;
    let time = 1_000;
    const open = () => storage.records(() => time);
    let records: Records;
    beforeEach(async () => {
      storage = await makeStorage();
      time = 1_000;
      records = open();
    });
    afterEach(() => storage.dispose());

    describe('bot-hosts', () => {
      it('H1 a delivery is there for any process until it is done, exactly as it came', async () => {
        await records.inbox.put(delivery('d1'));

        expect(await open().inbox.pending('1-7')).toEqual([
          { ...delivery('d1'), dueAt: 1_000, position: expect.any(Number), attempts: 0 },
        ]);
        await open().inbox.done('d1');
        expect(await records.inbox.pending('1-7')).toEqual([]);
        expect(await records.inbox.due()).toEqual([]);
      });

      it('H2 each attempt is counted before it is made', async () => {
        await records.inbox.put(delivery('d1'));

        expect([await records.inbox.begin('d1'), await open().inbox.begin('d1')]).toEqual([1, 2]);
        expect((await open().inbox.pending('1-7'))[0]).toMatchObject({ attempts: 2 });
        await records.inbox.done('d1');
        expect(await records.inbox.begin('d1')).toBe(0);
      });

      it('H2 what waits longest comes first, and what is not due does not wait', async () => {
        await records.inbox.put(delivery('d1', { key: 'b' }));
        await records.inbox.put(delivery('d2', { key: 'a' }));
        await records.inbox.put(delivery('d3', { key: 'b' }));
        await records.inbox.put(delivery('d4', { key: 'later', dueAt: 5_000 }));

        const due = async () => (await records.inbox.due()).map(({ key, count }) => `${key} ${count}`);
        expect(await due()).toEqual(['b 2', 'a 1']);
        expect(await records.inbox.pending('later')).toEqual([]);
        time = 5_000;
        expect(await due()).toEqual(['b 2', 'a 1', 'later 1']);
        expect(await records.inbox.pending('later')).toHaveLength(1);
      });

      it('H2 a clock that is set back delays nothing for ever: what came is due at once, what was put off a day later at most', async () => {
        time = Date.UTC(2036, 0);
        await records.inbox.put(delivery('d1', { key: 'a', receivedAt: time }));
        await records.inbox.put(delivery('d2', { key: 'b', receivedAt: time, dueAt: time + 60_000 }));
        expect((await records.inbox.due()).map(({ key }) => key)).toEqual(['a']);

        time = Date.UTC(2026, 0);
        expect((await open().inbox.due()).map(({ key }) => key)).toEqual(['a', 'b']);
        expect(await open().inbox.pending('a')).toHaveLength(1);
        expect(await open().inbox.pending('b')).toHaveLength(1);

        time = Date.UTC(2036, 0) - 3_600_000;
        expect((await open().inbox.due()).map(({ key }) => key)).toEqual(['a']);
      });

      it('H1 a payload is kept as the text it came in', async () => {
        const text = '{"n": 1.50, "odd": "\\u0000\\ud83d"}';
        await records.inbox.put({ id: 'd1', key: 'a', name: 'issues', text, receivedAt: 1_000 });

        expect(await open().inbox.pending('a')).toMatchObject([{ payload: { n: 1.5, odd: '\0\ud83d' } }]);
      });

      it('H2 what waits under a key can be read in parts', async () => {
        for (let n = 0; n < 45; n++) await records.inbox.put(delivery(`d${n}`));
        const read: string[] = [];
        for (let after = 0, more = true; more;) {
          const part = await records.inbox.pending('1-7', after);
          read.push(...part.map(({ id }) => id));
          after = part.at(-1)?.position ?? after;
          more = part.length > 0;
        }

        expect(read).toEqual(Array.from({ length: 45 }, (_, n) => `d${n}`));
      });
    });

    describe('bot-triggers', () => {
      it('T6 a delivery id is taken in once, however often and to however many processes it comes', async () => {
        const doors = Array.from({ length: 5 }, open);

        const first = await Promise.all(doors.map((door) => door.inbox.put(delivery('d1'))));
        expect(first.filter(Boolean)).toHaveLength(1);

        await records.inbox.done('d1');
        expect(await open().inbox.put(delivery('d1'))).toBe(false);
        expect([await records.inbox.has('d1'), await records.inbox.has('d2')]).toEqual([true, false]);
        expect(await records.inbox.pending('1-7')).toEqual([]);
      });

      it('T6 what was done long ago is forgotten, what waits never', async () => {
        await records.inbox.put(delivery('d1'));
        await records.inbox.put(delivery('d2'));
        await records.inbox.done('d1');

        expect(await records.inbox.prune(1_000)).toBe(0);
        expect(await records.inbox.prune(1_001)).toBe(1);
        expect((await records.inbox.pending('1-7')).map(({ id }) => id)).toEqual(['d2']);
      });

      it('T8 deliveries of a key come out in the order they came in', async () => {
        for (const id of ['d3', 'd1', 'd2']) await records.inbox.put(delivery(id));
        await records.inbox.put(delivery('other', { key: '1-8' }));

        const pending = await open().inbox.pending('1-7');

        expect(pending.map(({ id }) => id)).toEqual(['d3', 'd1', 'd2']);
        expect(pending.map(({ position }) => position)).toEqual(
          pending.map(({ position }) => position).toSorted((a, b) => a - b),
        );
      });

      it('T5 a cause is whose delivery took it first, of all that ask at once, and stays so', async () => {
        const takers = Array.from({ length: 6 }, (_, index) => `d${index}`);

        const holders = await Promise.all(takers.map((taker) => open().causes.take(1, 'comment-9', taker)));

        expect(new Set(holders).size).toBe(1);
        expect(await records.causes.take(1, 'comment-9', holders[0]!)).toBe(holders[0]);
        expect(await records.causes.holder(1, 'comment-9')).toBe(holders[0]);
        expect(await records.causes.holder(2, 'comment-9')).toBeUndefined();
        expect(await records.causes.take(2, 'comment-9', 'd7')).toBe('d7');
        await records.causes.take(2, 'comment-10', 'd8');
        expect(await open().causes.of(2)).toEqual([
          { cause: 'comment-10', delivery: 'd8' },
          { cause: 'comment-9', delivery: 'd7' },
        ]);
      });

      it('T9 a pull request goes on with the session it was assigned', async () => {
        await records.subjects.assign(1, 7, SESSION);
        await records.subjects.assign(1, 9, SESSION);

        expect(await open().subjects.sessionOf(1, 9)).toBe(SESSION);
        expect(await records.subjects.sessionOf(2, 9)).toBeUndefined();
        expect(await records.subjects.of(SESSION)).toEqual([
          { repo: 1, number: 7 },
          { repo: 1, number: 9 },
        ]);

        await records.subjects.assign(1, 7, SessionId('gh-1-7-2'));
        expect(await records.subjects.sessionOf(1, 7)).toBe('gh-1-7-2');
        expect(await records.subjects.of(SESSION)).toEqual([{ repo: 1, number: 9 }]);
      });
    });

    describe('bot-human-loop', () => {
      it('K3 a request is there for any process, exactly as it was asked, in the order of asking', async () => {
        const question = request('q_1', { kind: 'question', callId: undefined });
        await records.requests.add(question);
        await records.requests.add(request('ap_1'));
        await records.requests.add(request('ap_2', { session: SessionId('other') }));
        await records.requests.commented('q_1', 77);

        expect(await open().requests.get('q_1')).toEqual({ ...question, commentId: 77 });
        expect((await open().requests.openOf(SESSION)).map(({ id }) => id)).toEqual(['q_1', 'ap_1']);
        expect((await open().requests.open()).map(({ id }) => id)).toEqual(['q_1', 'ap_1', 'ap_2']);
        expect(await open().requests.settledOf(SESSION)).toEqual([]);
        expect(await records.requests.ofComment(1, 77)).toMatchObject({ id: 'q_1' });
        expect(await records.requests.ofComment(2, 77)).toBeUndefined();
        expect(await records.requests.get('nothing')).toBeUndefined();
      });

      it('K3 a request that is asked again by a repeated call stays the one it was', async () => {
        await records.requests.add(request('ap_1'));
        await records.requests.settle('ap_1', 'allowed', ANSWER);
        await records.requests.add(request('ap_1', { digest: 'other' }));

        expect(await records.requests.get('ap_1')).toMatchObject({ digest: 'd', state: 'allowed' });
      });

      it('A3 of all answers that come at once one settles the request, and it alone is kept', async () => {
        await records.requests.add(request('ap_1'));
        const answers = [1, 2, 3, 4, 5].map((id) => ({ ...ANSWER, actor: { id, login: `p${id}` } }));

        const settled = await Promise.all(
          answers.map((answer, index) =>
            open().requests.settle('ap_1', index % 2 === 0 ? 'allowed' : 'rejected', answer),
          ),
        );

        expect(settled.filter(Boolean)).toHaveLength(1);
        const winner = settled.indexOf(true);
        expect(await records.requests.get('ap_1')).toMatchObject({
          state: winner % 2 === 0 ? 'allowed' : 'rejected',
          answer: answers[winner],
        });
        expect(await records.requests.open()).toEqual([]);
        expect(await records.requests.settle('nothing', 'cancelled', ANSWER)).toBe(false);
      });

      it('K1 the last snapshot of a session is kept byte for byte', async () => {
        const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
        await records.snapshots.put(SESSION, { base: 'a'.repeat(40), digest: 'x', bytes: bytes.slice(0, 3) });
        await records.snapshots.put(SESSION, { base: 'b'.repeat(40), digest: 'y', bytes });

        const snapshot = await open().snapshots.latest(SESSION);

        expect(snapshot).toMatchObject({ base: 'b'.repeat(40), digest: 'y' });
        expect(Buffer.from(snapshot!.bytes).equals(Buffer.from(bytes))).toBe(true);
        await records.snapshots.drop(SESSION);
        expect(await records.snapshots.latest(SESSION)).toBeUndefined();
      });
    });

    describe('bot-human-loop', () => {
      it('what is set for a session stays, each for itself, until it is unset', async () => {
        expect(await records.settings.get(SESSION)).toEqual({});
        await records.settings.set(SESSION, { model: 'deepseek/deepseek-chat', budget: 2.5 });
        await records.settings.set(SESSION, { title: 'Null case' });
        expect(await open().settings.get(SESSION)).toEqual({
          ...{ model: 'deepseek/deepseek-chat', budget: 2.5, title: 'Null case' },
        });
        await records.settings.set(SESSION, { budget: 0 });
        expect(await open().settings.get(SESSION)).toMatchObject({ budget: 0, title: 'Null case' });
      });
    });

    describe('persistence', () => {
      it('P28 tables of version 1 get those they lack, once, whoever comes first; sessions stay, and causes are known', async () => {
        const { events } = new LogWriter().shortTurn().session;
        await storage.open().appendBatch(headerOf('s1'), events, false);
        const trigger = { kind: 'github-command', cause: 'comment-9', delivery: 'd9', repo: { id: 1 } };
        const data = JSON.stringify({ turn: 1, trigger });
        await storage.run(`update ${storage.tables.events} set data = '${data}' where type = 'turn/start'`);
        await storage.goBack();

        const later = Array.from({ length: 3 }, open);
        const held = await Promise.all(later.map((one) => one.causes.take(1, 'comment-9', 'another')));

        expect(held).toEqual(['d9', 'd9', 'd9']);
        expect(await open().inbox.due()).toEqual([]);
        expect((await storage.open().loadStored(SessionId('s1')))?.events).toHaveLength(events.length);
      });

      it('P28 tables of version 2 are brought up to date; causes of then begin to age when they are first looked through', async () => {
        await records.causes.take(1, 'comment-1', 'd1');
        await storage.goBack(2);

        time = 5_000;
        expect(await open().causes.take(1, 'comment-1', 'd2')).toBe('d1');
        expect(await open().causes.prune(4_000)).toBe(0);
        expect(await open().causes.prune(5_001)).toBe(1);
      });

      it('B6 an erased session is not begun again by a writer that comes late', async () => {
        const { events } = new LogWriter().shortTurn().session;
        const leases = storage.leases();
        const ours = (await leases.acquire(SESSION, 'a', 1_000))!;
        const late = storage.open(() => ours.epoch);
        await late.appendBatch(headerOf(SESSION), events.slice(0, 3), false);
        await storage.expire();
        const eraser = (await leases.acquire(SESSION, 'b', 1_000))!;
        await records.under(eraser).settings.erase(SESSION);
        await leases.release(eraser);

        expect(await codeOfRejection(late.appendBatch(headerOf(SESSION), events.slice(3), true))).toBe('STALE_LEASE');
        expect(await codeOfRejection(late.appendBatch(headerOf(SESSION), events, false))).toBe('STALE_LEASE');
        expect(await storage.open().has(SESSION)).toBe(false);
      });

      it('B6 with a session its child agents and theirs are erased, and nobody else', async () => {
        const child = headerOf('gh-1-7-1-sub-a', { parentSession: SESSION });
        const grandchild = headerOf('gh-1-7-1-sub-a-sub-b', { parentSession: child.id });
        const { events } = new LogWriter().shortTurn().session;
        const writer = storage.open();
        for (const meta of [headerOf(SESSION), child, grandchild, headerOf('gh-1-70-1')]) {
          await writer.appendBatch(meta, events, false);
        }

        await records.settings.erase(SESSION);

        expect((await storage.open().list()).map(({ id }) => id)).toEqual(['gh-1-70-1']);
        const left = (await storage.rows('events')).map((row) => row['session_id']);
        expect([...new Set(left)]).toEqual(['gh-1-70-1']);
      });

      it('B6 who writes a session while it is erased is told so, and brings nothing of it back', async () => {
        const { events } = new LogWriter().shortTurn().session;
        const leases = storage.leases();
        const ours = (await leases.acquire(SESSION, 'elsewhere', 60_000))!;
        const late = records.under(ours);
        await late.snapshots.put(SESSION, { base: 'b', digest: 'd', bytes: new Uint8Array(1) });
        const worker = (await leases.acquire(SessionId('work-1-7'), 'b', 60_000))!;

        await records.under(worker).settings.erase(SESSION);

        expect(await leases.heartbeat(ours, 60_000)).toBe(false);
        const snapshot = { base: 'b', digest: 'late', bytes: new Uint8Array(1) };
        expect(await codeOfRejection(late.snapshots.put(SESSION, snapshot))).toBe('STALE_LEASE');
        expect(await codeOfRejection(late.requests.add(request('ap_9')))).toBe('STALE_LEASE');
        const log = storage.open(() => ours.epoch);
        expect(await codeOfRejection(log.appendBatch(headerOf(SESSION), events, false))).toBe('STALE_LEASE');
        expect(await records.snapshots.latest(SESSION)).toBeUndefined();
        expect((await leases.acquire(SESSION, 'next', 60_000))?.epoch).toBe(ours.epoch + 2);
      });

      it('B6 a cause is kept until its time is over, and then forgotten', async () => {
        await records.causes.take(1, 'old', 'd1');
        time = 2_000;
        await records.causes.take(1, 'young', 'd2');
        await records.causes.take(1, 'old', 'd3');

        expect(await open().causes.prune(1_500)).toBe(1);
        expect(await records.causes.of(1)).toEqual([{ cause: 'young', delivery: 'd2' }]);
      });

      it('B6 leases that nobody held for long are forgotten, and those of sessions keep their epoch', async () => {
        const { events } = new LogWriter().shortTurn().session;
        const [session, work] = [SESSION, SessionId('work-1-7')];
        const leases = storage.leases();
        const first = (await leases.acquire(session, 'a', 1_000))!;
        await storage.open(() => first.epoch).appendBatch(headerOf(session), events.slice(0, 3), false);
        await leases.release(first);
        await leases.acquire(work, 'a', 1_000);
        await storage.age(5_000);
        await leases.acquire(SessionId('work-1-8'), 'a', 1_000);

        expect(await leases.prune(6_000)).toBe(0);
        expect(await leases.prune(4_000)).toBe(2);
        expect([...(await leases.held()).keys()]).toEqual(['work-1-8']);
        expect((await leases.acquire(session, 'b', 1_000))?.epoch).toBe(first.epoch + 1);
      });

      it('B1 who lost the lease writes nothing beside the logs any more, whatever it is, nor erases anything', async () => {
        const leases = storage.leases();
        const ours = (await leases.acquire(SESSION, 'a', 1_000))!;
        const late = records.under(ours);
        await fillAll(late);
        await storage.expire();
        const next = (await leases.acquire(SESSION, 'b', 1_000))!;
        const before = await allRows(storage);

        for (const [name, write] of Object.entries(writesOf(late))) {
          expect([name, await codeOfRejection(write())]).toEqual([name, 'STALE_LEASE']);
        }
        expect(await allRows(storage)).toEqual(before);
        expect(await late.snapshots.latest(SESSION)).toMatchObject({ digest: 'd' });

        for (const write of Object.values(writesOf(open().under(next)))) await write();
        expect(await allRows(storage)).not.toEqual(before);
      });

      it('B1 nor does one whose lease was forgotten, or that another one took under an earlier number again', async () => {
        const leases = storage.leases();
        const work = SessionId('work-1-7');
        for (const owner of ['a', 'b']) await leases.release((await leases.acquire(work, owner, 1_000))!);
        const late = records.under({ session: work, epoch: 2 });
        await late.settings.set(SESSION, { title: 'mine' });
        await storage.age(5_000);
        await leases.prune(4_000);

        expect(await codeOfRejection(late.settings.set(SESSION, { title: 'late' }))).toBe('STALE_LEASE');
        expect(await leases.acquire(work, 'c', 1_000)).toMatchObject({ epoch: 1 });
        expect(await codeOfRejection(late.settings.set(SESSION, { title: 'late' }))).toBe('STALE_LEASE');
        expect(await records.settings.get(SESSION)).toEqual({ title: 'mine' });
      });

      it('B1 a writer that has given its lease up may end what it began, as long as nobody came', async () => {
        const leases = storage.leases();
        const ours = (await leases.acquire(SESSION, 'a', 1_000))!;
        await leases.release(ours);

        await records.under(ours).settings.set(SESSION, { budget: 1 });

        expect(await records.settings.get(SESSION)).toEqual({ budget: 1 });
      });

      it('B1 a lease from a clock that was set back since counts for nothing', async () => {
        const leases = storage.leases();
        await leases.acquire(SESSION, 'a', 1_000);
        await storage.age(-LONGEST_LEASE_MS - 60_000);

        expect((await leases.held()).size).toBe(0);
        expect((await leases.acquire(SESSION, 'b', 1_000))?.epoch).toBe(2);
      });

      it('B6 trying out whether anything can be stored leaves nothing', async () => {
        await fillAll(records);
        const before = await allRows(storage);
        await Promise.all([probeWrite(storage.database()), probeWrite(storage.database())]);
        expect(await allRows(storage)).toEqual(before);
      });

      it('B6 erasing a session leaves no byte of it, and others as they are; its lease still keeps late writers out', async () => {
        const { events } = new LogWriter().shortTurn().session;
        const other = SessionId('gh-1-8-1');
        const backend = storage.open();
        for (const session of [SESSION, other]) {
          await backend.appendBatch(headerOf(session), events, false);
          await records.settings.set(session, { title: 't', archivedAt: session === SESSION ? 10 : 20 });
          await records.snapshots.put(session, { base: 'a', digest: 'b', bytes: new Uint8Array(3) });
          await records.requests.add(request(`ap_${session}`, { session }));
        }
        expect(await records.settings.archivedBefore(15)).toEqual([SESSION]);

        await records.settings.erase(SESSION);

        expect(await backend.has(SESSION)).toBe(false);
        expect(await records.settings.get(SESSION)).toEqual({});
        expect(await records.snapshots.latest(SESSION)).toBeUndefined();
        expect((await records.requests.open()).map(({ session }) => session)).toEqual([other]);
        expect((await backend.loadStored(other))?.events).toHaveLength(events.length);
        await expect(backend.appendBatch(headerOf(SESSION), events.slice(3), true)).rejects.toMatchObject({
          code: 'SEQ_MISMATCH',
        });
      });
    });

    describe('bot-security', () => {
      it('X12 spending adds up per tally and day, also from many processes at once', async () => {
        const noon = Date.UTC(2026, 5, 1, 12);
        await Promise.all([1, 2, 3, 4].map(() => open().spending.add('person:5', 0.25, noon)));
        await records.spending.add('person:5', 1, noon + 86_400_000);

        expect(await records.spending.spent('person:5', noon)).toBe(1);
        expect(await records.spending.spent('person:6', noon)).toBe(0);
        expect(await records.spending.spent('person:5', noon + 86_400_000)).toBe(1);
      });

      it('X12 what is counted by shorter periods is counted by all processes together, and begins anew with each period', async () => {
        const noon = Date.UTC(2026, 5, 1, 12);
        const count = (tally: string, at: number) => open().spending.count(tally, 60_000, at);
        const counts = await Promise.all([0, 1, 59_999].map((ms) => count('commands:1:5', noon + ms)));

        expect(counts.toSorted()).toEqual([1, 2, 3]);
        expect(await count('commands:1:6', noon)).toBe(1);
        expect(await count('commands:1:5', noon + 60_000)).toBe(1);
        expect(await count('commands:1:5', noon + 60_001)).toBe(2);
      });
    });
  });
}
