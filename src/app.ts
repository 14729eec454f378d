import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Probot } from 'probot';
import { CommentSurface } from './publish/comment-surface.ts';
import type { Bot } from './create-bot.ts';
import type { ConfigFile } from './config/config.ts';
import type { Env } from './config/env.ts';
import { DshError } from './errors.ts';
import { handleEvent } from './handle-event.ts';
import type { Handled, Host } from './handle-event.ts';
import { openAccess } from './repository-access.ts';
import { receiveWebhook } from './serve/webhook-route.ts';
import { TurnQueue } from './serve/turn-queue.ts';
import { placeOf } from './triggers/place-of.ts';
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
  /** Takes no more deliveries, stops what runs, and returns when all of it has ended. */
  close(): Promise<void>;
}

const WEBHOOK_PATH = '/api/github/webhooks';
/** Turns worked at once by one process. */
const TURNS_AT_ONCE = 4;

/** The App server: signed webhooks in, everything else told on GitHub. */
export async function serveApp(options: AppOptions): Promise<RunningApp> {
  const { env, log } = options;
  const { APP_ID: appId, WEBHOOK_SECRET: secret } = env;
  if (!appId || !secret) throw notConfigured();
  const probot = new Probot({
    appId,
    privateKey: options.privateKey,
    secret,
    baseUrl: env.GITHUB_API_URL,
    logLevel: 'fatal',
  });
  const { data: app } = await probot.auth().then((octokit) => octokit.rest.apps.getAuthenticated());
  const slug = app?.slug ?? 'dsh';
  const stopping = new AbortController();
  const queue = new TurnQueue(TURNS_AT_ONCE);
  const host = appHost(options, { appId: Number(appId), slug, signal: stopping.signal });

  probot.onAny((context) => {
    const event: GitHubEvent = { name: context.name, delivery: context.id, payload: context.payload as never };
    queue.add(keyOf(event), () => work(event, host, options));
  });
  const accept = (event: GitHubEvent) =>
    probot.receive({ id: event.delivery, name: event.name as never, payload: event.payload as never });
  const server = createServer((request, response) => {
    if (request.method === 'GET' && (request.url === '/healthz' || request.url === '/readyz'))
      return void response.end('ok');
    if (request.method !== 'POST' || request.url !== WEBHOOK_PATH) return void response.writeHead(404).end();
    receiveWebhook(request, response, { secret, accept }).catch((error: unknown) => {
      log('a delivery could not be taken', error);
      response.writeHead(500).end();
    });
  });
  const url = await listen(server, env);
  return {
    url: `${url}${WEBHOOK_PATH}`,
    whenIdle: () => queue.whenIdle(),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      stopping.abort({ kind: 'disposed' });
      await queue.whenIdle();
      server.closeAllConnections();
      await closed;
    },
  };
}

function appHost(
  options: AppOptions,
  { appId, slug, signal }: { appId: number; slug: string; signal: AbortSignal },
): Host {
  const { env, bot, operator, privateKey, userAgent, log } = options;
  const ownLogin = `${slug}[bot]`;
  const self = { appId, appSlug: slug, botLogin: ownLogin };
  return {
    self,
    operator,
    inputs: {},
    signal,
    openRepository: async ({ repo, installationId }) => {
      if (installationId === undefined)
        throw new DshError(
          'The delivery names no installation.',
          'GITHUB_NOT_CONFIGURED',
          'Install the app on the repository.',
        );
      const auth = { appId, privateKey, installationId, repositoryIds: [repo.id] };
      return openAccess({ auth, apiUrl: env.GITHUB_API_URL, userAgent, self, ownLogin, repo, redactor: bot.redactor });
    },
    surfaceFor: ({ github, repo }, config) =>
      new CommentSurface({
        github,
        repo,
        ownLogin,
        everyMs: config.progress.everyMs,
        redact: (text) => bot.redactor.redact(text),
        log,
      }),
    runJob: (request) => bot.runJob(request),
    causeTaken: (session, { cause, delivery }) => bot.causeTaken(session, cause, delivery),
    readers: bot.readers,
  };
}

/** The one place of this host that catches: the person was told on GitHub where that could be reached, the operator here. */
async function work(event: GitHubEvent, host: Host, { log, onHandled }: AppOptions): Promise<void> {
  try {
    const handled = await handleEvent(event, host);
    onHandled?.(event, handled);
  } catch (error) {
    log(`${event.name} ${event.delivery} could not be handled`, error);
    onHandled?.(event, [{ status: 'failed' }]);
  }
}

/** Events of one issue or pull request are worked in order. */
function keyOf(event: GitHubEvent): string {
  const { issue, pull_request: pull } = (event.payload ?? {}) as {
    issue?: { number?: number };
    pull_request?: { number?: number };
  };
  return `${placeOf(event)?.repo.id ?? 'none'}-${issue?.number ?? pull?.number ?? 'none'}`;
}

async function listen(server: Server, { HOST, PORT }: Env): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(HOST, PORT, cause)));
    server.listen(PORT, HOST, resolve);
  });
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): DshError {
  const hint = 'Set HOST to an address of this machine and PORT to a free port.';
  return new DshError(`Cannot listen on ${host}:${port} (${cause.code}).`, 'CONFIG_INVALID', hint, { cause });
}

function notConfigured(): DshError {
  const hint = 'Set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET of your GitHub App.';
  return new DshError('The App server needs the credentials of a GitHub App.', 'CONFIG_INVALID', hint);
}
