import { join } from 'node:path';
import type { Plugin } from './harness/kernel/context.ts';
import { runJob } from './bot/run-job.ts';
import type { JobParts } from './bot/run-job.ts';
import type { JobOutcome, JobRequest } from './bot/job.ts';
import type { Config } from './config/config.ts';
import type { Env } from './config/env.ts';
import { checkSandbox } from './docker/check-sandbox.ts';
import { DEFAULT_SANDBOX_IMAGE } from './docker/default-image.ts';
import { connectEngine } from './docker/engine.ts';
import { isTriggerTaken } from './harness/session/is-trigger-taken.ts';
import type { SessionPersistence } from './harness/session/persistence.ts';
import type { SessionId } from './harness/session/types.ts';
import type { LlmAdapter } from './harness/llm/llm-adapter.ts';
import type { AppIdentity } from './harness/llm/types.ts';
import { createModels } from './models/create-models.ts';
import { Redactor } from './publish/redact.ts';
import { openRoom, WORKER_BOOT } from './open-room.ts';
import { setUpTree } from './set-up-tree.ts';
import { openStore } from './store/open-store.ts';
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
  /** The key of the model endpoint, where a host has it from elsewhere than the environment. */
  readonly apiKey?: string;
}

export interface Bot {
  readonly redactor: Redactor;
  readonly sessions: SessionPersistence;
  readonly readers: readonly EventReader[];
  runJob(request: JobRequest): Promise<JobOutcome>;
  causeTaken(session: SessionId, cause: string, delivery: string): Promise<boolean>;
  /** Lets go of the session store. */
  close(): Promise<void>;
}

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
  const imageOf = (config: Config) => config.sandbox.image ?? env.DSH_SANDBOX_IMAGE ?? DEFAULT_SANDBOX_IMAGE;

  const place = { docker, dataDir: env.dataDir, socketFolder: join(env.dataDir, SOCKETS), log };
  const parts: JobParts = {
    dataDir: env.dataDir,
    redactor,
    now,
    log,
    targetOf: (config) => models.targetOf(config.model ?? env.DSH_MODEL),
    checkSandbox: async (config) => {
      await checkSandbox(docker, { image: imageOf(config) });
    },
    setUpTree: (request) => setUpTree(request, { ...place, image: imageOf(request.config), boot: WORKER_BOOT, now }),
    openRoom: (room) =>
      openRoom(room, {
        ...{ ...place, models, plugins, redactor },
        image: imageOf(room.config),
        persistence: store.persistence(),
        spillRoot: join(env.dataDir, SPILLS),
      }),
  };
  return {
    redactor,
    sessions,
    readers,
    runJob: (request) => runJob(request, parts),
    causeTaken: async (session, cause, delivery) => {
      const events = await storedEvents(sessions, session);
      return isTriggerTaken(events, { kind: 'github-command', cause, delivery });
    },
    close: () => store.close(),
  };
}

async function storedEvents(sessions: SessionPersistence, id: SessionId) {
  return (await sessions.has(id)) ? (await sessions.inspect(id)).events : [];
}
