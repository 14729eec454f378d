import type { JsonValue } from '../../harness/session/types.ts';
import type { Delivery, DueKey, Inbox } from '../records.ts';
import type { RecordDatabase, Row } from './record-database.ts';

/** The inbox as a table. What is done keeps its id, so that it is known again, and loses its payload. */
export function inboxIn(database: RecordDatabase, now: () => number): Inbox {
  return {
    put: async (delivery) => {
      const { id, key, name, receivedAt, dueAt = AT_ONCE } = delivery;
      const text = 'text' in delivery ? delivery.text : JSON.stringify(delivery.payload);
      const [added] = await database.write([PUT, id, key, name, text, receivedAt, dueAt]);
      return added!.length === 1;
    },
    has: async (id) => (await database.read([HAS, id])).length > 0,
    due: async () => (await database.read([DUE, now(), now() + LONGEST_WAIT_MS])).map(dueOf),
    pending: async (key, after = 0) =>
      (await database.read([PENDING, key, after, now(), now() + LONGEST_WAIT_MS])).map(deliveryOf),
    begin: async (id) => {
      const [rows] = await database.write([BEGIN, id]);
      return Number(rows![0]?.['attempts'] ?? 0);
    },
    done: async (id) => void (await database.write([DONE, now(), id])),
    prune: async (before) => {
      const [gone] = await database.write([PRUNE, before]);
      return gone!.length;
    },
  };
}

const AT_ONCE = 0;
/** Nothing is put off for longer. What is due later than that was put by a clock that has been set back since. */
const LONGEST_WAIT_MS = 86_400_000;

const PUT = `
insert into dsh.inbox (id, key, name, payload, received_at, due_at) values ($1, $2, $3, $4, $5, $6)
on conflict (id) do nothing returning position`;
const HAS = 'select 1 as known from dsh.inbox where id = $1';
const DUE = `
select key, min(position) as position, count(*) as count from dsh.inbox
where done_at is null and (due_at <= $1 or due_at > $2) group by key order by min(position) limit 1000`;
const PENDING = `
select position, id, key, name, payload, received_at, due_at, attempts from dsh.inbox
where key = $1 and done_at is null and position > $2 and (due_at <= $3 or due_at > $4) order by position limit 20`;
const BEGIN = 'update dsh.inbox set attempts = attempts + 1 where id = $1 and done_at is null returning attempts';
const DONE = `update dsh.inbox set done_at = $1, payload = '' where id = $2 and done_at is null`;
const PRUNE = 'delete from dsh.inbox where done_at < $1 returning id';

function dueOf({ key, position, count }: Row): DueKey {
  return { key: String(key), position: Number(position), count: Number(count) };
}

function deliveryOf(row: Row): Delivery {
  return {
    id: String(row['id']),
    key: String(row['key']),
    name: String(row['name']),
    payload: payloadOf(String(row['payload'])),
    receivedAt: Number(row['received_at']),
    dueAt: Number(row['due_at']) || Number(row['received_at']),
    position: Number(row['position']),
    attempts: Number(row['attempts']),
  };
}

function payloadOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null; // a damaged row must not hold up the rows behind it
  }
}
