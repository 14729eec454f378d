import { appendFileSync } from 'node:fs';
import Docker from 'dockerode';
import { AgentClient } from '../../src/docker/agent-client.ts';
import { SqliteBackend } from '../../src/store/sqlite/sqlite-backend.ts';
import { PostgresBackend } from '../../src/store/postgres/postgres-backend.ts';
import type { Records } from '../../src/store/records.ts';

/** What happens at a point of a worker's life, such as `before github POST …/comments #1`. */
export interface Fault {
  readonly at: string;
  /** `kill`: the process is gone. `freeze`: it stands still, as on a machine that was suspended. `full`: storage fails for a while. */
  readonly kind: 'kill' | 'freeze' | 'full';
}

export interface FaultOptions {
  readonly fault: Fault | undefined;
  /** Every point that is passed is written there, a line each. */
  readonly record: string | undefined;
  /** Only requests to it are points. */
  readonly apiUrl: string;
}

const FULL_MS = 2_500;

/** Makes every write of this process, to log and records, engine and GitHub, two named points: before and after it. */
export class FaultPoints {
  readonly #options: FaultOptions;
  readonly #seen = new Map<string, number>();
  #fullUntil = 0;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  install(records: Records): void {
    this.#watchGitHub();
    this.#watchEngine();
    this.#watchLog();
    this.#watchRecords(records);
  }

  /** Those under a lease are others, of the same names. */
  #watchRecords(records: Records): void {
    const { under } = records;
    (records as { under: Records['under'] }).under = (lease) => {
      const held = under(lease);
      this.#watchRecords(held);
      return held;
    };
    const { inbox, causes, subjects, snapshots } = records;
    this.#wrap(inbox, 'put', () => 'inbox put');
    this.#wrap(inbox, 'begin', () => 'inbox begin');
    this.#wrap(inbox, 'done', () => 'inbox done');
    this.#wrap(causes, 'take', () => 'causes take');
    this.#wrap(subjects, 'assign', () => 'subjects assign');
    for (const name of ['put', 'drop'] as const) this.#wrap(snapshots, name, () => `snapshots ${name}`);
  }

  #watchGitHub(): void {
    const { fetch } = globalThis;
    const watched: typeof fetch = async (input, init) => {
      const url = String(input instanceof Request ? input.url : input);
      const method = init?.method ?? 'GET';
      if (!url.startsWith(this.#options.apiUrl) || method === 'GET') return fetch(input, init);
      const path = new URL(url).pathname.replaceAll(/\/[0-9a-f]{40}|\/\d+/g, '/N');
      return this.#pass(`github ${method} ${path}`, () => fetch(input, init));
    };
    globalThis.fetch = watched;
  }

  #watchEngine(): void {
    const client = new Docker();
    this.#wrap(Docker.prototype as never, 'createContainer', () => 'engine create');
    const container = Object.getPrototypeOf(client.getContainer('none')) as never;
    for (const name of ['start', 'remove', 'attach', 'putArchive']) this.#wrap(container, name, () => `engine ${name}`);
    this.#wrap(AgentClient.prototype as never, 'call', (request) => `sandbox ${(request as { op: string }).op}`);
    const { spawn } = AgentClient.prototype;
    const around = (run: () => ReturnType<typeof spawn>) => this.#passNow('sandbox spawn', run);
    AgentClient.prototype.spawn = function (this: AgentClient, ...args) {
      return around(() => spawn.apply(this, args));
    };
  }

  #watchLog(): void {
    for (const backend of [SqliteBackend, PostgresBackend]) {
      this.#wrap(backend.prototype as never, 'appendBatch', () => 'log append');
      this.#wrap(backend.prototype as never, 'commitRepair', () => 'log repair');
    }
  }

  #wrap(owner: object, name: string, nameOf: (...args: unknown[]) => string): void {
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    const original = methods[name]!;
    const pass = (point: string, run: () => unknown) => this.#pass(point, async () => run());
    methods[name] = function (this: unknown, ...args) {
      return pass(nameOf(...args), () => original.apply(this, args));
    };
  }

  async #pass<T>(point: string, run: () => Promise<T>): Promise<T> {
    const nth = this.#count(point);
    this.#reach(`before ${point} #${nth}`);
    if (performance.now() < this.#fullUntil && /^(log|inbox|causes|subjects|snapshots)/.test(point)) throw noRoom();
    const result = await run();
    this.#reach(`after ${point} #${nth}`);
    return result;
  }

  #passNow<T>(point: string, run: () => T): T {
    const nth = this.#count(point);
    this.#reach(`before ${point} #${nth}`);
    const result = run();
    this.#reach(`after ${point} #${nth}`);
    return result;
  }

  #count(point: string): number {
    const nth = (this.#seen.get(point) ?? 0) + 1;
    this.#seen.set(point, nth);
    return nth;
  }

  #reach(point: string): void {
    const { fault, record } = this.#options;
    if (record) appendFileSync(record, `${point}\n`);
    if (fault?.at !== point) return;
    if (fault.kind === 'full') this.#fullUntil = performance.now() + FULL_MS;
    else process.kill(process.pid, fault.kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  }
}

function noRoom(): Error {
  return Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
}
