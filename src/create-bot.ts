import { rm } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from './harness/kernel/context.ts';
import { compactStoredSession } from './room/compact-session.ts';
import type { CompactRequest } from './room/compact-session.ts';
import { handedBack } from './bot/job/handed-back.ts';
import { LiveTurns } from './bot/job/live-turns.ts';
import { runJob } from './bot/job/run-job.ts';
import type { JobParts } from './bot/job/job-parts.ts';
import type { JobOutcome, JobRequest } from './bot/job/job.ts';
import { CommandLimit } from './bot/limits/command-limit.ts';
import type { BotServices } from './bot/job/services.ts';
import { PeopleService } from './bot/people/people.ts';
import type { Config } from './config/config.ts';
import type { Env } from './config/env.ts';
import { endsWithRun } from './config/ends-with-run.ts';
import { checkSandbox } from './docker/check-sandbox.ts';
import { DEFAULT_SANDBOX_IMAGE } from './docker/default-image.ts';
import { checkEngine, connectEngine } from './docker/engine.ts';
import { workerState } from './docker/sweep/worker-boot.ts';
import { removeContainersOf } from './docker/sweep/sweep-containers.ts';
import { sweepLeftovers } from './docker/sweep/sweep-leftovers.ts';
import type { Swept } from './docker/sweep/sweep-leftovers.ts';
import type { SessionPersistence } from './harness/session/persistence.ts';
import type { SessionId } from './harness/session/types.ts';
import type { LlmAdapter } from './harness/llm/llm-adapter.ts';
import type { AppIdentity } from './harness/llm/types.ts';
import { createModels } from './models/create-models.ts';
import { surfaceUnder } from './publish/progress/surface-under.ts';
import { Redactor } from './publish/redact.ts';
import type { CompactionResult } from './seams/compaction/types.ts';
import { atDesk } from './room/open-desk.ts';
import { pluggedCommands } from './room/plugged-commands.ts';
import { openRoom, WORKER_BOOT } from './room/open-room.ts';
import { SessionWriters } from './room/session-writers.ts';
import { SETUP, setUpTree } from './room/set-up-tree.ts';
import { cachedCheck } from './store/cached-check.ts';
import type { LeaseTerms } from './store/hold-lease.ts';
import type { Lease } from './store/lease.ts';
import { probeFolder } from './store/probe-folder.ts';
import { renderTranscript } from './store/render-transcript.ts';
import { openStore } from './store/open-store.ts';
import { removeSearchFile } from './store/search/search-file.ts';
import type { Store } from './store/open-store.ts';
import type { Records } from './store/records.ts';
import type { EventReader } from './triggers/read-event.ts';

export interface BotOptions {
  readonly env: Env;
  readonly identity: AppIdentity;
  readonly log: (message: string, error?: unknown) => void;
  readonly now?: () => Date;
  /** Mounted in every session, beside our own: tools, policies, services. */
  readonly plugins?: readonly Plugin<void>[];
  /** Further model adapters, by the provider that `DSH_MODEL` (`provider/model`) names them with. */
  readonly adapters?: Readonly<Record<string, LlmAdapter>>;
  /** Further events that start turns. */
  readonly readers?: readonly EventReader[];
  /** How long others wait for a worker that is gone, in milliseconds. */
  readonly leaseMs?: number;
  /** The key of the model endpoint, where a host has it from elsewhere than the environment. */
  readonly apiKey?: string;
  /** Whether the host itself keeps what is stored here beyond this run; asked when it matters. */
  readonly isKept?: () => boolean;
}

export interface Bot {
  readonly redactor: Redactor;
  readonly sessions: SessionPersistence;
  readonly records: Records;
  /** The folder of what was too long for a session's log. */
  spillsOf(session: SessionId): string;
  readonly readers: readonly EventReader[];
  /** What answers people without the model. */
  readonly services: BotServices;
  /** The same for who works under this lease: who lost it writes nothing more beside the logs (persistence.md B1). */
  servicesUnder(lease: Lease): BotServices;
  runJob(request: JobRequest): Promise<JobOutcome>;
  /** `/dsh compact`: condenses what the model remembers of a session that rests; `null` where there is nothing to. */
  compact(request: CompactRequest): Promise<CompactionResult | null>;
  /** Whether another delivery has the cause (T5). Else this one has it from now on. */
  causeTaken(repo: number, cause: string, delivery: string): Promise<boolean>;
  readonly leaseTerms: LeaseTerms;
  /** Why no turn can run at the moment; empty where one can. */
  notReady(): Promise<string[]>;
  /** Calls when another process took something in; returns what ends it. */
  onNews(listener: () => void): () => Promise<void>;
  /** One timetable for all processes that share the store, where it can keep one. */
  readonly sharedTimetable: Store['sharedTimetable'];
  /** The process is about to end: turns stop after their running step, and are left to others. */
  wind(): void;
  /** Takes away what dead workers left in engine and data directory. Never rejects. */
  sweepLeftovers(): Promise<Swept>;
  /** Lets go of the session store. */
  close(): Promise<void>;
}

/** A job of GitHub Actions: its own checkout lends what it has. */
function onRunner({ RUNNER_TEMP, GITHUB_WORKSPACE }: Env): Partial<JobParts> {
  const lender = RUNNER_TEMP && GITHUB_WORKSPACE && join(GITHUB_WORKSPACE, '.git');
  const isDirectory = lender && statSync(lender, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? { borrowFrom: lender } : {};
}

/** A worker that is killed is missed for so long. */
const LEASE_MS = 10_000;

/** Folder below the data directory of what was too long to show, one directory a session. */
const SPILLS = 'spill';

/** Folder below the data directory of the network proxies' sockets; short, since the kernel limits their paths. */
const SOCKETS = 'egress';

/** The one place where parts are chosen and wired together. Everything below is handed what it needs. */
export function createBot(options: BotOptions): Bot {
  const { env, identity, log, now = () => new Date(), plugins = [], readers = [] } = options;
  const docker = connectEngine(env.DOCKER_HOST);
  const models = createModels({ env, identity, now, apiKey: options.apiKey, adapters: options.adapters });
  const redactor = new Redactor([
    env.GITHUB_TOKEN,
    env.WEBHOOK_SECRET,
    env.PRIVATE_KEY,
    env.DATABASE_URL,
    ...models.keys,
  ]);
  const store = openStore({ dataDir: env.dataDir, databaseUrl: env.DATABASE_URL, now });
  const { sessions } = store;
  const leaseTerms = { leases: store.leases, owner: WORKER_BOOT, ttlMs: options.leaseMs ?? LEASE_MS, isGone };
  const writers = new SessionWriters(leaseTerms);
  const winding = new AbortController();
  const live = new LiveTurns();
  const spillRoot = join(env.dataDir, SPILLS);
  const records = withFiles(store.records, { dataDir: env.dataDir, spillRoot });
  const imageOf = (config: Config) => config.sandbox.image ?? env.DSH_SANDBOX_IMAGE ?? DEFAULT_SANDBOX_IMAGE;

  const canStore = cachedCheck(() => mayStore(store, env.dataDir), PROBE);
  const place = { docker, dataDir: env.dataDir, socketFolder: join(env.dataDir, SOCKETS), log };
  const partsOver = (kept: Records): JobParts => ({
    dataDir: env.dataDir,
    ...onRunner(env),
    get forgetful() {
      return endsWithRun(env) && !options.isKept?.();
    },
    records: kept,
    live,
    winding: winding.signal,
    logOf: async (session) => ((await sessions.has(session)) ? (await sessions.inspect(session)).events : []),
    endSandboxesOf: (session) => removeContainersOf(docker, session, env.dataDir),
    redactor,
    now,
    log,
    targetOf: (config) => models.targetOf(config.model ?? env.DSH_MODEL),
    checkSandbox: async (config) => {
      await checkSandbox(docker, { image: imageOf(config), runtime: config.sandbox.runtime });
    },
    setUpTree: (request) => setUpTree(request, { ...place, image: imageOf(request.config), boot: WORKER_BOOT, now }),
    openRoom: (room) =>
      openRoom(room, {
        ...{ ...place, models, plugins, redactor },
        image: imageOf(room.config),
        persistence: store.persistence(writers.epochOf),
        spillRoot,
      }),
  });
  const parts = partsOver(records);
  const compact = (request: CompactRequest) =>
    writers.hold(request.session, request.signal, (signal) =>
      compactStoredSession(
        { ...request, signal },
        {
          ...{ models, redactor, log, target: parts.targetOf(request.config) },
          persistence: store.persistence(writers.epochOf),
        },
      ),
    );
  const servicesOver = (kept: Records): Pick<BotServices, 'records' | 'people'> => ({
    records: kept,
    people: new PeopleService({
      ...{ requests: kept.requests, live, now, log, redactor },
      redact: (text) => redactor.redact(text),
      logOf: parts.logOf,
    }),
  });
  const desk = { log, persistence: store.persistence(writers.epochOf) };
  const services: BotServices = {
    ...{ ...servicesOver(records), sessions, live, now, log },
    redact: (text) => redactor.redact(text),
    limit: new CommandLimit(records, now),
    transcript: renderTranscript,
    modelOf: (config) => {
      const { provider, model } = parts.targetOf(config);
      return `${provider}/${model}`;
    },
    providers: [...models.routes.keys()],
    atDesk: (session, signal, work, language) =>
      writers.hold(session, signal, (held) => atDesk(session, held, { ...desk, language }, work)),
    plugged: pluggedCommands(plugins, desk),
    commandPlugged: (session, line, signal) =>
      writers.hold(session, signal, (held) =>
        atDesk(session, held, { ...desk, plugins }, ({ ctx, agent }) => ctx.commands.execute(agent, line, held)),
      ),
    compact,
    handlers: {},
  };
  return {
    redactor,
    sessions,
    records,
    spillsOf: (session) => join(spillRoot, session),
    services,
    servicesUnder: (lease) => ({ ...services, ...servicesOver(records.under(lease)) }),
    readers,
    runJob: (request) =>
      writers.hold(request.session, request.signal, (signal, lease, isOurs) => {
        const surface = surfaceUnder(request.surface, () => {
          if (!isOurs()) throw handedBack(request.session);
        });
        return runJob({ ...request, signal, surface }, partsOver(records.under(lease)));
      }),
    compact,
    causeTaken: async (repo, cause, delivery) => (await records.causes.take(repo, cause, delivery)) !== delivery,
    leaseTerms,
    notReady: () => reasonsOf([canStore(), checkEngine(docker)]),
    onNews: (listener) => store.onNews(listener),
    sharedTimetable: store.sharedTimetable,
    wind: () => winding.abort(),
    sweepLeftovers: () => sweepLeftovers({ ...place, setupFolder: join(env.dataDir, SETUP), now }),
    close: () => store.close(),
  };
}

/** How often what can be stored is tried out, however often that is asked. */
const PROBE = { holdsMs: 5_000, limitMs: 5_000 };

/** Disks fill up, and file systems become read-only: reading tells nothing of it. */
async function mayStore(store: Store, dataDir: string): Promise<void> {
  try {
    await Promise.all([store.probe(), probeFolder(dataDir)]);
  } catch (cause) {
    throw new Error(`Nothing can be stored: ${(cause as Error).message}`, { cause });
  }
}

/** A worker of this machine whose process has ended. */
function isGone(owner: string): boolean {
  return workerState(owner) === 'dead';
}

/** Of what has to be there for a turn. */
async function reasonsOf(checks: readonly Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(checks);
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String((outcome.reason as Error).message)] : [],
  );
}

/** What was too long to show, and what was made of it to be searched, goes with its session (persistence.md B6). */
function withFiles(records: Records, places: { readonly dataDir: string; readonly spillRoot: string }): Records {
  const erase = async (session: SessionId) => {
    await records.settings.erase(session);
    await rm(join(places.spillRoot, session), { recursive: true, force: true });
    await removeSearchFile(places.dataDir);
  };
  const under = (lease: Lease) => withFiles(records.under(lease), places);
  return { ...records, under, settings: { ...records.settings, erase } };
}
