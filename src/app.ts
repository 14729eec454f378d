import { Probot, ProbotOctokit } from 'probot';
import type { Bot } from './create-bot.ts';
import { mergeConfig } from './config/merge-config.ts';
import type { ConfigFile } from './config/config-file.ts';
import type { Env } from './config/env.ts';
import { DshError } from './errors.ts';
import { handleEvent } from './handle-event.ts';
import type { Handled, Host } from './handle-event.ts';
import type { Postpone } from './intake/postpone-review.ts';
import { appHost } from './serve/app-host.ts';
import { appPages, hasLogin } from './serve/app-pages.ts';
import { InboxWorker } from './serve/inbox-worker.ts';
import { keepSweeps } from './serve/keep-sweeps.ts';
import { maintenance } from './serve/maintenance.ts';
import { Metrics } from './serve/metrics.ts';
import { serveHttp } from './serve/serve-http.ts';
import { isTransient } from './serve/is-transient.ts';
import { subjectKey } from './serve/subject-key.ts';
import { transcriptAddress } from './serve/transcript-address.ts';
import { TranscriptLinks } from './serve/transcript-link.ts';
import { TurnQueue } from './serve/turn-queue.ts';
import type { Lease } from './store/lease.ts';
import type { GitHubEvent } from './triggers/reading.ts';

export interface AppOptions {
  readonly env: Env;
  readonly bot: Bot;
  readonly operator: ConfigFile;
  readonly privateKey: string;
  readonly userAgent: string;
  readonly log: (message: string, error?: unknown) => void;
  /** For tests and the demo: what became of each event. */
  readonly onHandled?: (event: GitHubEvent, handled: readonly Handled[]) => void;
}
export interface RunningApp {
  readonly url: string;
  whenIdle(): Promise<void>;
  /** Takes no more deliveries, lets running steps end, hands back what is left, and returns when all of it has ended (H3). */
  close(): Promise<void>;
}

/** Turns that one person may have running, and one repository (X12); the rest wait. */
const PER_PERSON = 2;
const PER_REPOSITORY = 4;
/** How often the inbox is looked at for what other processes took in, or left behind. */
const POLL_MS = 1_000;
/** What fails for a moment is tried again after so long. */
const PAUSES = { firstMs: 1_000, longestMs: 60_000 };

/** The App server: signed webhooks in, everything else told on GitHub. */
export async function serveApp(options: AppOptions): Promise<RunningApp> {
  const { env, bot, log } = options;
  const { APP_ID: appId, WEBHOOK_SECRET: secret } = env;
  if (!appId || !secret) throw notConfigured();
  const { privateKey } = options;
  // Its own pace, a write a second, would make missed deliveries wait for minutes.
  const Octokit = ProbotOctokit.defaults({ throttle: { enabled: false } });
  const probot = new Probot({ appId, privateKey, secret, baseUrl: env.GITHUB_API_URL, logLevel: 'fatal', Octokit });
  const octokit = await probot.auth();
  const { data: app } = await octokit.rest.apps.getAuthenticated();
  const { worker: limits, shutdown } = mergeConfig(options.operator);
  const queue = new TurnQueue({ width: limits.turns, perPerson: PER_PERSON, perRepository: PER_REPOSITORY });
  const publicUrl = env.DSH_PUBLIC_URL ?? (await originOf(octokit).catch(() => undefined));
  const transcripts = { links: new TranscriptLinks(secret, () => new Date()), publicUrl, hasLogin: hasLogin(env) };
  const host = appHost({
    ...{ ...options, appId: Number(appId), slug: app?.slug ?? 'dsh', queue },
    transcriptAddress: (session, isPublic) => transcriptAddress(session, isPublic, transcripts),
  });
  const under = (lease: Lease) => ({ services: { ...host.services, ...bot.servicesUnder(lease) } });

  const metrics = new Metrics([
    { name: 'dsh_turns', help: 'Turns that run or wait for a place.', read: () => queue.size },
    {
      name: 'dsh_inbox_due',
      help: 'Deliveries that could be worked now.',
      read: async () => (await bot.records.inbox.due()).reduce((sum, { count }) => sum + count, 0),
    },
  ]);
  const postpone: Postpone = async (event, dueAt) => {
    const { delivery: id, name, payload } = event;
    await bot.records.inbox.put({ id, key: subjectKey(event), name, payload, receivedAt: Date.now(), dueAt });
  };
  const worker = new InboxWorker({
    records: bot.records,
    terms: bot.leaseTerms,
    pollMs: POLL_MS,
    pauses: PAUSES,
    log,
    handle: (event, { decided, signal, lease }) =>
      work(event, { ...host, ...under(lease), postpone, signal }, decided, counted(options, metrics, Date.now())),
  });
  let isClosing = false;
  const http = await serveHttp({
    ...{ host: env.HOST, port: env.PORT, secret, log },
    notReady: async () => (isClosing ? ['The process is ending.'] : bot.notReady()),
    pages: appPages({ env, bot, secret, metrics, publicUrl, now: () => new Date() }),
    accept: async (event, text) => {
      const { delivery: id, name } = event;
      const key = subjectKey(event);
      if (await bot.records.inbox.put({ id, key, name, text, receivedAt: Date.now() })) worker.nudge(key);
    },
  });
  const forget = bot.onNews(() => worker.nudge());
  worker.start();
  const sweeps = keepSweeps(maintenance({ ...options, host, octokit, now: () => new Date() }), { bot, log });
  return {
    url: http.url,
    whenIdle: async () => {
      await sweeps.whenIdle();
      await worker.whenIdle();
    },
    close: async () => {
      isClosing = true;
      worker.pause();
      bot.wind();
      await Promise.all([http.close(), sweeps.stop(), forget(), worker.whenDone(shutdown.graceMs)]);
      await worker.stop();
    },
  };
}

/** Counts an event when it is handled. `startedAt` in epoch milliseconds. */
function counted(options: AppOptions, metrics: Metrics, startedAt: number): AppOptions {
  return {
    ...options,
    onHandled: (event, handled) => {
      metrics.handled(event.name, handled, (Date.now() - startedAt) / 1000);
      options.onHandled?.(event, handled);
    },
  };
}

/** Where GitHub, and so people, too, reach this server. */
async function originOf(octokit: InstanceType<typeof ProbotOctokit>): Promise<string | undefined> {
  const { data } = await octokit.rest.apps.getWebhookConfigForApp();
  return data.url === undefined ? undefined : new URL(data.url).origin;
}

/** The one place of this host that catches: the person was told on GitHub where that could be reached, the operator here. */
async function work(
  event: GitHubEvent,
  host: Host,
  decided: () => void,
  { log, onHandled }: AppOptions,
): Promise<void> {
  try {
    const handled = await handleEvent(event, host, decided);
    onHandled?.(event, handled);
  } catch (error) {
    if (isTransient(error)) throw error;
    log(`${event.name} ${event.delivery} could not be handled`, error);
    onHandled?.(event, [{ status: 'failed' }]);
  }
}

function notConfigured(): DshError {
  const hint = 'Set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET of your GitHub App.';
  return new DshError('The App server needs the credentials of a GitHub App.', 'CONFIG_INVALID', hint);
}
