import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { AppCredentials } from './app-credentials.ts';
import { listenAt } from './listen-at.ts';
import { setupPage } from './setup-page.ts';
import { isFromHere, originOf, pathOf } from './setup-request.ts';

export interface SetupOptions {
  readonly host: string;
  readonly port: number;
  /** Text of `app.yml`. */
  readonly appFile: string;
  readonly serverUrl: string;
  /** Exchanges the code that GitHub sends a person back with for the App that was registered. */
  readonly convert: (code: string) => Promise<unknown>;
  /** GitHub gives the credentials once: they are kept before anybody hears of them. */
  readonly store: (credentials: AppCredentials) => Promise<void>;
  /** Hears where the page is, for whoever reads what the server prints. */
  readonly onListening: (url: string) => void;
  readonly log: (message: string, error?: unknown) => void;
  readonly signal: AbortSignal;
}

const Registered = z.object({
  id: z.number(),
  pem: z.string(),
  webhook_secret: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  html_url: z.url(),
});

/**
 * Registers a GitHub App by one click, at the addresses of Probot's setup page: `/probot` sends the manifest to GitHub, which
 * asks the person and sends them back to `/probot/setup`. GitHub has to reach this server, so others may, too: elsewhere
 * than at this machine the page has a key in its address. Resolves with the App; undefined where the signal came first.
 */
export async function setUpApp(options: SetupOptions): Promise<AppCredentials | undefined> {
  const { promise, resolve } = Promise.withResolvers<AppCredentials | undefined>();
  const secret = () => randomBytes(24).toString('base64url');
  const setup: Setup = { ...options, key: secret(), state: secret(), registered: resolve, isTaken: false };
  const server = createServer((request, response) => {
    answer(request, response, setup).catch((error: unknown) => {
      options.log('the App could not be registered', error);
      say(response, 502, 'GitHub did not give the App, or it could not be stored. Begin again at /probot.');
    });
  });
  const stop = () => resolve(undefined);
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    options.onListening(`${await listen(server, options)}/probot/${setup.key}`);
    return await promise;
  } finally {
    options.signal.removeEventListener('abort', stop);
    await close(server);
  }
}

interface Setup extends SetupOptions {
  /** Lets in whoever read what the server prints. */
  readonly key: string;
  /** Proves that a code comes from a registration which was begun here. */
  readonly state: string;
  readonly registered: (credentials: AppCredentials) => void;
  /** One App is registered, once. */
  isTaken: boolean;
}

const PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
};

async function answer(request: IncomingMessage, response: ServerResponse, setup: Setup): Promise<void> {
  const url = pathOf(request.url ?? '');
  if (!url || request.method !== 'GET') return void response.writeHead(404).end();
  switch (url.pathname) {
    case '/':
      return void response.writeHead(302, { location: '/probot' }).end();
    case '/probot':
      if (isFromHere(request.socket.remoteAddress, request.headers)) return show(url, request, response, setup);
      return say(response, 403, 'Open the address that the server printed when it started: it ends with a key.');
    case `/probot/${setup.key}`:
      return show(url, request, response, setup);
    case '/probot/setup':
      return register(url, response, setup);
    case '/healthz':
      return void response.end('ok');
    case '/readyz':
      return say(response, 503, 'No GitHub App is registered yet.');
    default:
      return void response.writeHead(404).end();
  }
}

function show({ searchParams }: URL, { headers }: IncomingMessage, response: ServerResponse, setup: Setup): void {
  const { appFile, serverUrl, state } = setup;
  const organization = searchParams.get('organization');
  response.writeHead(200, PAGE).end(setupPage({ appFile, serverUrl, origin: originOf(headers), state, organization }));
}

async function register({ searchParams }: URL, response: ServerResponse, setup: Setup): Promise<void> {
  const code = searchParams.get('code');
  if (!code || searchParams.get('state') !== setup.state)
    return say(response, 400, 'This is no answer to a registration of this server.');
  if (setup.isTaken) return say(response, 409, 'An App is being registered here already.');
  setup.isTaken = true;
  const { htmlUrl, credentials } = await takeApp(code, setup).catch((error: unknown) => {
    setup.isTaken = false;
    throw error;
  });
  const done = () => setup.registered(credentials);
  if (response.destroyed) return done();
  response.once('close', done);
  response.writeHead(302, { location: `${htmlUrl}/installations/new`, connection: 'close' }).end();
}

async function takeApp(code: string, { convert, store }: Setup) {
  const app = Registered.parse(await convert(code));
  const credentials: AppCredentials = {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.pem,
    WEBHOOK_SECRET: app.webhook_secret,
    GITHUB_CLIENT_ID: app.client_id,
    GITHUB_CLIENT_SECRET: app.client_secret,
  };
  await store(credentials);
  return { htmlUrl: app.html_url, credentials };
}

function say(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

/** As it is written in addresses. */
async function listen(server: Server, { host, port }: SetupOptions): Promise<string> {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${await listenAt(server, { host, port })}`;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
