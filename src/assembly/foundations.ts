import { join } from 'node:path';
import type Docker from 'dockerode';
import { LiveTurns } from '../bot/job/live-turns.ts';
import { connectEngine } from '../docker/engine.ts';
import { workerState } from '../docker/sweep/worker-boot.ts';
import { createModels } from '../models/create-models.ts';
import type { Models } from '../models/create-models.ts';
import { Redactor } from '../publish/redact.ts';
import { WORKER_BOOT } from '../room/open-room.ts';
import { SessionWriters } from '../room/session-writers.ts';
import type { LeaseTerms } from '../store/hold-lease.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/open-store.ts';
import type { Records } from '../store/records.ts';
import type { BotOptions } from './bot-options.ts';
import { recordsWithFiles } from './records-with-files.ts';

/** What everything else of a process stands on, each of it there once. */
export interface Foundations extends Required<Pick<BotOptions, 'env' | 'log' | 'now' | 'plugins'>> {
  readonly isKept: BotOptions['isKept'];
  readonly docker: Docker;
  readonly models: Models;
  readonly redactor: Redactor;
  readonly store: Store;
  readonly records: Records;
  readonly leaseTerms: LeaseTerms;
  readonly writers: SessionWriters;
  readonly live: LiveTurns;
  /** Aborted when the process is about to end. */
  readonly winding: AbortController;
  /** Of what was too long to show, one directory a session. */
  readonly spillRoot: string;
  /** Where sandboxes and what belongs to them are. */
  readonly place: {
    readonly docker: Docker;
    readonly dataDir: string;
    readonly socketFolder: string;
    readonly log: BotOptions['log'];
  };
}

/** A worker that is killed is missed for so long. */
const LEASE_MS = 10_000;
const SPILLS = 'spill';
/** Of the network proxies' sockets; short, since the kernel limits their paths. */
const SOCKETS = 'egress';

export function layFoundations(options: BotOptions): Foundations {
  const { env, identity, log, now = () => new Date(), plugins = [], isKept } = options;
  const { dataDir } = env;
  const docker = connectEngine(env.DOCKER_HOST);
  const models = createModels({ env, identity, now, apiKey: options.apiKey, adapters: options.adapters });
  const secrets = [env.GITHUB_TOKEN, env.WEBHOOK_SECRET, env.PRIVATE_KEY, env.DATABASE_URL, ...models.keys];
  const store = openStore({ dataDir, databaseUrl: env.DATABASE_URL, now });
  const leaseTerms = { leases: store.leases, owner: WORKER_BOOT, ttlMs: options.leaseMs ?? LEASE_MS, isGone };
  const spillRoot = join(dataDir, SPILLS);
  return {
    ...{ env, log, now, plugins, isKept, docker, models, store, leaseTerms, spillRoot },
    redactor: new Redactor(secrets),
    records: recordsWithFiles(store.records, { dataDir, spillRoot }),
    writers: new SessionWriters(leaseTerms),
    live: new LiveTurns(),
    winding: new AbortController(),
    place: { docker, dataDir, socketFolder: join(dataDir, SOCKETS), log },
  };
}

/** A worker of this machine whose process has ended. */
function isGone(owner: string): boolean {
  return workerState(owner) === 'dead';
}
