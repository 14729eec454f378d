import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionPersistence, StoredSession } from '../../src/harness/session/persistence.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { GitHubLogin } from '../../src/serve/github-login.ts';
import { TranscriptLinks } from '../../src/serve/transcript-link.ts';
import { serveTranscript } from '../../src/serve/transcript-page.ts';
import type { TranscriptRoute } from '../../src/serve/transcript-page.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf } from '../store/contract-storage.ts';

const ID = SessionId('gh-9-12-1');
const HOUR_MS = 60 * 60_000;
const repo = { id: 9, owner: 'acme', name: 'shop' };
const trigger = {
  ...{
    kind: 'github-issue' as const,
    cause: 'c',
    delivery: 'd',
    repo,
    subject: { kind: 'issue' as const, number: 12 },
  },
  ...{ actor: { id: 1, login: 'maria' }, action: 'labeled' },
};
const log = new LogWriter().startTurn(trigger).prompt('mend it, the-secret').endTurn().session.events;
const stored = new Map<string, StoredSession>([[ID, { meta: headerOf(ID), events: log }]]);

let now: number;
let links: TranscriptLinks;
let base: string;
let close: () => void;
let asked: { url: string; authorization: string | undefined }[];
let mayRead: Set<string>;

/** GitHub's side of a sign-in: a code is a token is a person's login. */
const github = (async (input: string | URL, init: RequestInit = {}) => {
  const url = String(input);
  asked.push({ url, authorization: (init.headers as Record<string, string>)['authorization'] });
  if (url.endsWith('/login/oauth/access_token')) {
    const { code, client_secret: secret } = JSON.parse(String(init.body)) as Record<string, string>;
    return Response.json(
      secret === 'shh' && code !== 'bad' ? { access_token: code } : { error: 'bad_verification_code' },
    );
  }
  const login = (init.headers as Record<string, string>)['authorization']!.replace('Bearer ', '');
  return mayRead.has(login) ? Response.json({ id: 9 }) : new Response('{}', { status: 404 });
}) as typeof fetch;

async function serve(withLogin: boolean, more: Partial<TranscriptRoute> = {}, publicUrl = 'https://dsh.example') {
  const sessions = { has: async (id: SessionId) => stored.has(id), inspect: async (id: SessionId) => stored.get(id)! };
  const login = new GitHubLogin({
    ...{ clientId: 'client', clientSecret: 'shh', publicUrl, links, fetch: github },
    ...{ serverUrl: 'https://github.example', apiUrl: 'https://api.github.example' },
  });
  const route: TranscriptRoute = {
    sessions: sessions as Pick<SessionPersistence, 'has' | 'inspect'>,
    links,
    redact: (given) => given.replaceAll('the-secret', '***'),
    ...(withLogin && { login }),
    ...more,
  };
  const server = createServer((request, response) => {
    void serveTranscript(request, response, route).then((isOurs) => isOurs || response.writeHead(418).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => void server.close();
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${base}${path}`, { headers, method, redirect: 'manual' });

beforeEach(() => {
  now = Date.UTC(2026, 10, 30);
  links = new TranscriptLinks('a-secret-of-hooks', () => new Date(now));
  asked = [];
  mayRead = new Set(['maria']);
});
afterEach(() => close());

describe('bot-hosts', () => {
  it('H1 a signed link shows one session for an hour, without secrets, to be framed, cached and indexed by nobody', async () => {
    await serve(false);
    const path = links.pathOf(ID);
    const page = await get(path);

    expect(page.status).toBe(200);
    expect(await page.text()).toContain('mend it, ***');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/default-src 'none';.*frame-ancestors 'none'/),
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    now += HOUR_MS - 1;
    expect((await get(path)).status).toBe(200);
    now += 1;
    expect((await get(path)).status).toBe(404);
  });

  it('H1 no other link opens it, and what is hidden looks like what is not there', async () => {
    await serve(false);
    const until = String(now + HOUR_MS);
    const query = new URLSearchParams(links.pathOf(ID).split('?')[1]);
    const stranger = new TranscriptLinks('another-secret', () => new Date(now));
    const bodies = new Set<string>();
    for (const path of [
      `/sessions/${ID}`,
      '/sessions/nobody',
      links.pathOf(SessionId('nobody')),
      `/sessions/gh-9-13-1?${query}`,
      `/sessions/${ID}?${new URLSearchParams({ until: String(now + 2 * HOUR_MS), signature: links.sign('link', ID, now + 2 * HOUR_MS) })}`,
      `/sessions/${ID}?${new URLSearchParams({ until, signature: links.sign('read', ID, now + HOUR_MS) })}`,
      `/sessions/${ID}?until=${until}&signature=`,
      stranger.pathOf(ID),
      '/sessions/%E0%A4%A',
    ]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      bodies.add(await answer.text());
    }
    expect(bodies.size).toBe(1);
    for (const [method, path] of [
      ['POST', links.pathOf(ID)],
      ['GET', '/'],
      ['GET', '/sessions/'],
      ['GET', '/login/callback'],
    ] as const) {
      expect((await get(path, {}, method)).status).toBe(418);
    }
  });

  it('H1 whom GitHub lets read the repository now gets in by signing in, for an hour and this session', async () => {
    await serve(true);
    const sent = await get(`/sessions/${ID}`);
    expect(sent.status).toBe(302);
    const target = new URL(sent.headers.get('location')!);
    expect(target.origin + target.pathname).toBe('https://github.example/login/oauth/authorize');
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      client_id: 'client',
      redirect_uri: 'https://dsh.example/login/callback',
    });
    const nonce = sent.headers.get('set-cookie')!;
    expect(nonce).toMatch(/; Path=\/login\/callback; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/);

    const state = target.searchParams.get('state')!;
    const back = await get(`/login/callback?${new URLSearchParams({ code: 'maria', state })}`, {
      cookie: nonce.split(';')[0]!,
    });
    expect([back.status, back.headers.get('location')]).toEqual([302, `/sessions/${ID}`]);
    expect(asked.map(({ url }) => url)).toEqual([
      'https://github.example/login/oauth/access_token',
      'https://api.github.example/repos/acme/shop',
    ]);
    const cookie = back.headers.get('set-cookie')!.split(';')[0]!;
    expect((await get(`/sessions/${ID}`, { cookie })).status).toBe(200);
    expect((await get('/sessions/gh-9-13-1', { cookie })).status).toBe(302);
    now += HOUR_MS;
    expect((await get(`/sessions/${ID}`, { cookie })).status).toBe(302);
  });

  it('H1 behind a proxy that puts the server below its host, the way back and the cookies lead there, too', async () => {
    await serve(true, {}, 'https://bots.example/dsh/');
    const sent = await get(`/sessions/${ID}`);
    const target = new URL(sent.headers.get('location')!);
    expect(target.searchParams.get('redirect_uri')).toBe('https://bots.example/dsh/login/callback');
    expect(sent.headers.get('set-cookie')).toContain('; Path=/dsh/login/callback;');

    const query = new URLSearchParams({ code: 'maria', state: target.searchParams.get('state')! });
    const cookie = sent.headers.get('set-cookie')!.split(';')[0]!;
    const back = await get(`/login/callback?${query}`, { cookie });
    expect(back.headers.get('location')).toBe(`/dsh/sessions/${ID}`);
    expect(back.headers.get('set-cookie')).toContain(`; Path=/dsh/sessions/${ID};`);
  });

  it('H1 nobody else does: no right, no code, another browser, another state, an unknown session', async () => {
    await serve(true);
    const start = async (id: string) => {
      const sent = await get(`/sessions/${id}`);
      return {
        state: new URL(sent.headers.get('location')!).searchParams.get('state')!,
        cookie: sent.headers.get('set-cookie')!.split(';')[0]!,
      };
    };
    const { state, cookie } = await start(ID);
    const other = await start('nobody');
    const callback = (query: Record<string, string>, with_ = cookie) =>
      get(`/login/callback?${new URLSearchParams(query)}`, { cookie: with_ });
    for (const answer of [
      await callback({ code: 'tom', state }),
      await callback({ code: 'bad', state }),
      await callback({ state }),
      await callback({ code: 'maria', state }, 'dsh_login=guess'),
      await callback({ code: 'maria', state }, other.cookie),
      await callback({
        code: 'maria',
        state: `${Buffer.from('gh-9-13-1').toString('base64url')}.${state.split('.').slice(1).join('.')}`,
      }),
      await callback({ code: 'maria', state: other.state }, other.cookie),
      await callback({ code: 'maria', state: 'x' }),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('session-query', () => {
  it('B1 a page is for who may read the repository now: a right that was withdrawn ends with the hour it was looked up', async () => {
    await serve(true);
    const signIn = async (id: string) => {
      const sent = await get(`/sessions/${id}`);
      const state = new URL(sent.headers.get('location')!).searchParams.get('state')!;
      const query = new URLSearchParams({ code: 'maria', state });
      return get(`/login/callback?${query}`, { cookie: sent.headers.get('set-cookie')!.split(';')[0]! });
    };
    const cookie = (await signIn(ID)).headers.get('set-cookie')!.split(';')[0]!;
    mayRead.clear();
    now += HOUR_MS;

    expect((await get(`/sessions/${ID}`, { cookie })).status).toBe(302);
    asked.length = 0;
    const hidden = await signIn(ID);
    const askedOfHidden = asked.splice(0).map(({ url }) => new URL(url).pathname.split('/').slice(0, 2));
    const missing = await signIn('gh-9-99-1');
    expect([hidden.status, await hidden.text()]).toEqual([missing.status, await missing.text()]);
    expect(hidden.status).toBe(404);
    // As long as GitHub takes to answer for the one, it takes for the other.
    expect(asked.map(({ url }) => new URL(url).pathname.split('/').slice(0, 2))).toEqual(askedOfHidden);
    expect(askedOfHidden).toHaveLength(2);
  });
});
