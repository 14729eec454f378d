import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StoredSession } from '../harness/session/persistence.ts';
import { SessionId } from '../harness/session/types.ts';
import { repositoryOf } from '../bot/session/repository-of.ts';
import type { LoggedRepo } from '../bot/session/session-events.ts';
import type { TranscriptLinks } from './transcript-link.ts';

export interface GitHubLoginOptions {
  /** Of the App, for people who sign in with it. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where people reach this server, such as `https://dsh.example.org`. */
  readonly publicUrl: string;
  readonly serverUrl: string;
  readonly apiUrl: string;
  readonly links: TranscriptLinks;
  readonly fetch?: typeof globalThis.fetch;
}

const CALLBACK = '/login/callback';
const STATE_COOKIE = 'dsh_login';
const READ_COOKIE = 'dsh_read';
/** Asked for where there is no session: how long the answer takes, and whether it fails, is no sign of one either. */
const NONE: LoggedRepo = { id: 0, owner: 'github', name: 'no-such-repository' };

/** Lets people read the sessions of repositories that GitHub lets them read; the right is asked for anew every hour. */
export class GitHubLogin {
  readonly #options: GitHubLoginOptions;

  constructor(options: GitHubLoginOptions) {
    this.#options = options;
  }

  isCallback(path: string): boolean {
    return path === CALLBACK;
  }

  /** Whether this browser was let in to this session within the last hour. */
  mayRead(request: IncomingMessage, session: SessionId): boolean {
    const [until = '', signature = ''] = (cookieOf(request, READ_COOKIE) ?? '').split('.');
    return this.#options.links.isSigned('read', session, Number(until), signature);
  }

  /** Sends the browser to GitHub, whoever asks for whatever session: nothing is said of it. */
  begin(response: ServerResponse, session: SessionId): void {
    const { links, serverUrl, clientId } = this.#options;
    const nonce = randomBytes(16).toString('base64url');
    const until = links.inAnHour();
    const state = [
      Buffer.from(session).toString('base64url'),
      String(until),
      links.sign('login', `${session} ${nonce}`, until),
    ].join('.');
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: this.#callbackUrl(), state });
    this.#redirect(
      response,
      `${serverUrl}/login/oauth/authorize?${query}`,
      this.#cookie(STATE_COOKIE, nonce, `${this.#prefix}${CALLBACK}`),
    );
  }

  /** Comes back from GitHub: who may read the session's repository gets in. */
  async finish(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    read: (id: SessionId) => Promise<StoredSession | undefined>,
  ): Promise<void> {
    const session = this.#sessionOf(query.get('state') ?? '', cookieOf(request, STATE_COOKIE) ?? '');
    const code = query.get('code');
    const repo = session && code ? repositoryOf((await read(session))?.events ?? []) : undefined;
    const mayRead = session && code ? await this.#mayReadRepository(code, repo ?? NONE) : false;
    if (!session || !repo || !mayRead) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      return void response.end('There is no such session, or you may not see it.\n');
    }
    const { links } = this.#options;
    const until = links.inAnHour();
    const path = `${this.#prefix}${links.pagePath(session)}`;
    const value = `${until}.${links.sign('read', session, until)}`;
    this.#redirect(response, path, this.#cookie(READ_COOKIE, value, path));
  }

  #sessionOf(state: string, nonce: string): SessionId | undefined {
    const [name = '', until = '', signature = ''] = state.split('.');
    const session = SessionId(Buffer.from(name, 'base64url').toString('utf8'));
    const isOurs =
      nonce !== '' && this.#options.links.isSigned('login', `${session} ${nonce}`, Number(until), signature);
    return isOurs ? session : undefined;
  }

  /** The token serves this one question and is kept nowhere. */
  async #mayReadRepository(code: string, { id, owner, name }: LoggedRepo): Promise<boolean> {
    const { apiUrl, fetch = globalThis.fetch } = this.#options;
    const token = await this.#exchange(code);
    if (token === undefined) return false;
    const answer = await fetch(`${apiUrl}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    });
    if (!answer.ok) return false;
    return ((await answer.json()) as { id?: unknown }).id === id;
  }

  async #exchange(code: string): Promise<string | undefined> {
    const { serverUrl, clientId, clientSecret, fetch = globalThis.fetch } = this.#options;
    const answer = await fetch(`${serverUrl}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: this.#callbackUrl(),
      }),
    });
    if (!answer.ok) return undefined;
    const { access_token: token } = (await answer.json()) as { access_token?: unknown };
    return typeof token === 'string' ? token : undefined;
  }

  #callbackUrl(): string {
    return `${new URL(this.#options.publicUrl).origin}${this.#prefix}${CALLBACK}`;
  }

  /** Where a proxy has put this server below its host; it takes that away again. */
  get #prefix(): string {
    return new URL(this.#options.publicUrl).pathname.replace(/\/+$/, '');
  }

  #cookie(name: string, value: string, path: string): string {
    const secure = this.#options.publicUrl.startsWith('https:') ? '; Secure' : '';
    return `${name}=${value}; Path=${path}; Max-Age=3600; HttpOnly; SameSite=Lax${secure}`;
  }

  #redirect(response: ServerResponse, location: string, cookie: string): void {
    response.writeHead(302, { location, 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
  }
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
