import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import { calls } from '../../support/scripted-model.ts';
import { accessAt, Process } from './people-bench.ts';
import type { Endpoint, Shared } from './people-bench.ts';

/** A process of its own that parks sessions, and tells what it holds before and after. GitHub is elsewhere. */
export interface ParkManyTask {
  readonly endpoint: Endpoint;
  readonly warmUp: readonly number[];
  readonly issues: readonly number[];
}
export interface Held {
  /** Bytes of the heap after a collection. */
  readonly heap: number;
  /** What keeps the event loop awake, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  readonly turns: number;
  readonly listeners: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.once('message', (task: ParkManyTask) => void work(task));

async function work({ endpoint, warmUp, issues }: ParkManyTask): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'dsh-park-'));
  const store = openMemoryStore(() => new Date());
  // Each its own client: one alone would wait for GitHub's limits.
  const access = () => accessAt(endpoint);
  const shared: Shared = { store, log: [], ran: [], now: () => new Date(), access };
  const live = new LiveTurns();
  const statuses: string[] = [];
  await park(warmUp, () => new Process(shared, dataDir, live), statuses);
  const before = await held(live);
  await park(issues, () => new Process(shared, dataDir, live), statuses);
  const after = await held(live);
  const open = (await store.records.requests.open()).length;
  process.send!({ before, after, statuses, open, log: shared.log.map(String) });
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
  process.disconnect();
}

const AT_ONCE = 5;

async function park(issues: readonly number[], worker: () => Process, statuses: string[]): Promise<void> {
  for (let at = 0; at < issues.length; at += AT_ONCE) {
    const outcomes = issues.slice(at, at + AT_ONCE).map(async (issue) => {
      const script = [calls('act', { n: issue }, `c${issue}`)];
      const { outcome } = await worker().start({ issue, script, config: { park: { afterMs: 0 } } });
      statuses.push((await outcome).status);
    });
    await Promise.all(outcomes);
  }
}

async function held(live: LiveTurns): Promise<Held> {
  // Idle keep-alive connections and timers of what just ended go first.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  // What a collection finalizes is gone with the next one.
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { heap: process.memoryUsage().heapUsed, resources, turns: live.all.length, listeners };
}
