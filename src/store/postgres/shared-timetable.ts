import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Sweep, Timetable } from '../timetable.ts';
import { cronOf } from './cron-of.ts';

export interface SharedTimetableOptions {
  readonly url: string;
  readonly sweeps: readonly Sweep[];
  readonly log: (message: string, error?: unknown) => void;
  /** Keeps the same sweeps where the engine cannot have its tables. */
  readonly otherwise: () => Timetable;
}

/** Beside our own, and the engine's alone. */
const SCHEMA = 'dsh_timetable';
const PREFIX = 'sweep-';
const CONNECTIONS = 2;
/** A server that is away at the start is asked for as long as the process runs. */
const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** The user may not make the tables, they are of another shape, or the engine refuses: asking again changes nothing. */
const FOR_GOOD = /^(42|3F|ERR_ASSERTION)/;
/** What a killed worker had in hand is free again after so long; the least the engine takes. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
const POLL_SECONDS = 5;
/** How long what was done can be looked at. */
const KEPT_SECONDS = 7 * 24 * 60 * 60;
const STOP_MS = 10_000;
const LOOK_MS = 50;

/**
 * Of all processes that share a database one does each sweep, once in its time: at the start of a process, and when its
 * schedule says so. A sweep that fails is logged, stays visible in the engine's tables and comes again in its time.
 */
export class SharedTimetable implements Timetable {
  readonly #options: SharedTimetableOptions;
  readonly #stopping = new AbortController();
  readonly #sent: { readonly queue: string; readonly id: string }[] = [];
  readonly #started: Promise<PgBoss | undefined>;
  #boss: PgBoss | undefined;
  #instead: Timetable | undefined;

  constructor(options: SharedTimetableOptions) {
    this.#options = options;
    this.#started = this.#start().catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return undefined;
      options.log('no timetable can be kept in the database: each process keeps its own', error);
      this.#instead = options.otherwise();
      return undefined;
    });
  }

  async whenIdle(): Promise<void> {
    const boss = await this.#started;
    await this.#instead?.whenIdle();
    while (boss && !this.#stopping.signal.aborted && (await this.#isAtWork(boss))) await sleep(LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort({ kind: 'disposed' });
    await this.#boss?.stop({ timeout: STOP_MS });
    await this.#started;
    await this.#instead?.stop();
  }

  async #start(): Promise<PgBoss | undefined> {
    const tell = onceEach(this.#options.log);
    const { signal } = this.#stopping;
    for (let pauseMs = PAUSES.firstMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, PAUSES.longestMs)) {
      try {
        return await this.#startOnce(tell);
      } catch (error) {
        await this.#boss?.stop({ graceful: false });
        if (FOR_GOOD.test(String((error as { code?: unknown }).code))) throw error;
        tell(error as Error);
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }

  async #startOnce(tell: (error: Error) => void): Promise<PgBoss> {
    const { PgBoss } = await import('pg-boss');
    this.#sent.length = 0;
    this.#boss = new PgBoss({
      connectionString: this.#options.url,
      schema: SCHEMA,
      max: CONNECTIONS,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
    });
    this.#boss.on('error', tell);
    if (this.#stopping.signal.aborted) return this.#boss;
    await this.#boss.start();
    await this.#forgetOthers(this.#boss);
    for (const sweep of this.#options.sweeps) await this.#keep(sweep, this.#boss);
    return this.#boss;
  }

  /** What an earlier version kept would be sent to nobody. */
  async #forgetOthers(boss: PgBoss): Promise<void> {
    const kept = new Set(this.#options.sweeps.map(({ name }) => PREFIX + name));
    for (const { name } of await boss.getSchedules()) if (!kept.has(name)) await boss.unschedule(name);
  }

  async #keep(sweep: Sweep, boss: PgBoss): Promise<void> {
    const queue = PREFIX + sweep.name;
    await boss.createQueue(queue, {
      ...{ policy: 'exclusive', retryLimit: 0, heartbeatSeconds: HEARTBEAT_SECONDS },
      deleteAfterSeconds: KEPT_SECONDS,
    });
    await boss.schedule(queue, cronOf(sweep.everyMs, sweep.name));
    const id = await boss.send(queue);
    if (id) this.#sent.push({ queue, id });
    await boss.work(queue, { pollingIntervalSeconds: POLL_SECONDS }, async ([job]) => this.#run(sweep, job!.signal));
  }

  async #run(sweep: Sweep, lost: AbortSignal): Promise<void> {
    const failed = await sweep.run(AbortSignal.any([this.#stopping.signal, lost])).then(
      () => false,
      (error: unknown) => {
        this.#options.log(`${sweep.name} failed`, error);
        return true;
      },
    );
    // The engine keeps what it is told; what was thrown may hold what nobody else may see.
    if (failed) throw new Error(`${sweep.name} failed; the log of the process says why`);
  }

  async #isAtWork(boss: PgBoss): Promise<boolean> {
    const [first] = this.#sent;
    if (!first) return false;
    const job = await boss.getJobById(first.queue, first.id);
    if (job && ['created', 'retry', 'active'].includes(job.state)) return true;
    this.#sent.shift();
    return this.#sent.length > 0;
  }
}

/** An outage is told once, not at every look at the tables. */
function onceEach(log: SharedTimetableOptions['log']): (error: Error) => void {
  let last: string | undefined;
  return (error) => {
    if (error.message !== last) log('the timetable has trouble with its database', error);
    last = error.message;
  };
}
