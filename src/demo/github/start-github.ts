import { generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adminOf } from './admin.ts';
import { publicKeyOf } from './authenticate.ts';
import { isResultsRequest, resultsService } from './results-service.ts';
import { writeReceiveHooks } from './git/receive-hooks.ts';
import { isGitRequest, smartHttp } from './git/smart-http.ts';
import { Hub, type Validator } from './hub.ts';
import type { Delivery } from './delivery-queue.ts';
import { isManifestRequest, manifestPage } from './manifest-page.ts';
import { actionsApp, installationsOf } from './installations.ts';
import { peopleOf, type RepositoryName } from './people.ts';
import type { App, Permissions, Repository } from './records.ts';
import { routes } from './rest/routes.ts';
import { restServer } from './rest/server.ts';
import { storedFile } from './stored-file.ts';
import { Webhooks } from './webhooks.ts';

export interface GitHubOptions {
  /** Checks every call; tests pass one made from GitHub's OpenAPI description. */
  validate?: Validator | undefined;
  /** What GitHub takes for the time; `advance` moves it on. */
  now?: () => Date;
  /** What the app asks for; default: what the product needs. */
  permissions?: Permissions;
  webhookSecret?: string;
  /** Where its own temporary folder is made; default: the system's place for them. */
  folder?: string;
}

export type GitHubServer = Awaited<ReturnType<typeof startGitHub>>;

const defaultPermissions: Permissions = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'read',
};
const appEvents = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'check_run',
  'check_suite',
  'workflow_run',
];

/** A GitHub on loopback with one app, `dsh`, installed for every owner. REST, webhooks and git are one state, kept in a temporary folder until `close`. */
export async function startGitHub(options: GitHubOptions = {}) {
  const root = await mkdtemp(join(options.folder ?? tmpdir(), 'dsh-github-'));
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const privateKey = await makePrivateKey();
  const webhookSecret = options.webhookSecret ?? 'demo-webhook-secret';
  const clock = movableClock(options.now ?? (() => new Date()));
  const hub = makeHub(root, port, clock.now, options);
  hub.webhooks = new Webhooks(hub, webhookSecret);
  await writeReceiveHooks(hub.hooksDir);
  server.on('request', requestHandler(hub, privateKey, webhookSecret));
  const find = finder(hub);
  const ci = actionsApp(hub);

  return {
    url: hub.url,
    apiUrl: hub.apiUrl,
    graphqlUrl: `${hub.url}/api/graphql`,
    port,
    state: hub,
    app: { id: hub.app.id, slug: hub.app.slug, botLogin: hub.app.bot.login, privateKey, webhookSecret },
    requests: hub.requests,
    events: hub.webhooks.events,
    deliveries: hub.webhooks.queue.deliveries,
    faults: hub.faults,
    ...adminOf(hub, ci, find),
    ...installationsOf(hub, ci, find),
    ...peopleOf(hub, find),
    setWebhookTarget: (url: string | undefined) => hub.webhooks.queue.setTarget(url),
    /** Sends a delivery again under its own guid, as GitHub does for whoever asks. */
    redeliver: (delivery: Delivery) => hub.webhooks.redeliver(delivery),
    /** Resolves when every delivery so far has been answered or given up. */
    settled: () => hub.webhooks.queue.settled(),
    /** Moves GitHub's clock on. */
    advance: clock.advance,
    /** Writes the payload of the latest such event to a file, as an Action finds it; gives the path. */
    async eventFile(name: string, action?: string): Promise<string> {
      const event = hub.webhooks.events.findLast(
        (candidate) => candidate.name === name && (action === undefined || candidate.action === action),
      );
      if (!event) throw new Error(`There was no ${name} ${action ?? ''} event`);
      const path = join(root, `event-${hub.nextId()}.json`);
      await writeFile(path, JSON.stringify(event.payload));
      return path;
    },
    close: () => close(hub, server),
  };
}

async function makePrivateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function movableClock(base: () => Date) {
  let offsetMs = 0;
  return {
    now: () => new Date(base().getTime() + offsetMs),
    advance(ms: number): void {
      offsetMs += ms;
    },
  };
}

function makeHub(
  root: string,
  port: number,
  now: () => Date,
  { validate, permissions = defaultPermissions }: GitHubOptions,
): Hub {
  const createdAt = now();
  const owner = { id: 1, login: 'dsh-makers', type: 'User' as const, name: null, createdAt };
  const bot = { id: 2, login: 'dsh[bot]', type: 'Bot' as const, name: null, createdAt };
  const app: App = { id: 4711, slug: 'dsh', name: 'dsh', bot, owner, permissions, events: appEvents, createdAt };
  const hub = new Hub({ root, url: `http://127.0.0.1:${port}`, now, app, validate });
  for (const account of [owner, bot]) hub.accounts.set(account.login, account);
  return hub;
}

function requestHandler(hub: Hub, privateKey: string, webhookSecret: string) {
  const publicKey = publicKeyOf(privateKey);
  const rest = restServer(hub, publicKey, routes);
  const git = smartHttp(hub, publicKey);
  const results = resultsService(hub);
  const manifest = manifestPage(hub, { pem: privateKey, webhook_secret: webhookSecret });
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? '/').split('?')[0]!;
    const stored = storedFile(hub, path);
    if (stored) {
      const fault = hub.faults.take('GET', path);
      return void (fault?.status ? response.writeHead(fault.status).end() : response.end(stored));
    }
    if (isManifestRequest(path)) return void manifest(request, response).catch(() => response.destroy());
    if (isResultsRequest(path)) return void results(request, response).catch(() => response.destroy());
    const answered = isGitRequest(path) ? git(request, response) : rest(request, response);
    answered.catch(() => response.destroy());
  };
}

const finder =
  (hub: Hub) =>
  (name: RepositoryName): Repository => {
    if (typeof name !== 'string') return name;
    const repository = hub.findRepository(name);
    if (!repository) throw new Error(`There is no repository ${name}`);
    return repository;
  };

async function close(hub: Hub, server: Server): Promise<void> {
  hub.webhooks.queue.setTarget(undefined);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(hub.root, { recursive: true, force: true, maxRetries: 3 });
}
