import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { openHost } from '../../src/cli/open-host.ts';
import { serveFromEnvironment } from '../../src/cli/serve.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { readAppCredentials, storeAppCredentials } from '../../src/serve/app-credentials.ts';
import type { DshError } from '../../src/errors.ts';
import { openapiValidator } from '../support/openapi-validator.ts';

let github: GitHubServer;
let dataDir: string;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-setup-'));
  github = await startGitHub({ validate: openapiValidator({ responses: true }), folder: root });
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, 'data-'));
});
afterAll(async () => {
  await github.close();
  await rm(root, { recursive: true });
});

/** `dsh serve` without an App, until `stop`; `heard` resolves with the first thing it says that matches. */
async function serve(more: Record<string, string> = {}) {
  const stopping = new AbortController();
  const said: string[] = [];
  const listeners = new Set<() => void>();
  const variables = { GITHUB_API_URL: github.apiUrl, GITHUB_SERVER_URL: github.url, DSH_DATA_DIR: dataDir, PORT: '0' };
  const host = await openHost({ ...variables, ...more }, () => {});
  const say = (line: string) => {
    said.push(line);
    for (const listener of listeners) listener();
  };
  const done = serveFromEnvironment(host, { say, log: () => {} }, stopping.signal).finally(() => host.bot.close());
  done.catch(() => {});
  const heard = (wanted: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const found = said.map((line) => wanted.exec(line)?.[1]).find((match) => match !== undefined);
        if (found !== undefined) resolve(found);
      };
      listeners.add(look);
      look();
    });
  return {
    ...{ said, heard, done },
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

const PAGE = /Register one at (\S+)/;
const manual = { redirect: 'manual' } as const;

/** The form of the page, as a browser reads it. */
async function formOf(page: string) {
  const html = await (await fetch(page)).text();
  const unescape = (text: string) => text.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
  const action = unescape(/action="([^"]+)"/.exec(html)![1]!);
  const manifest = unescape(/name="manifest" value="([^"]+)"/.exec(html)![1]!);
  return { action, manifest };
}

async function register(page: string): Promise<URL> {
  const { action, manifest } = await formOf(page);
  const answer = await fetch(action, { method: 'POST', body: new URLSearchParams({ manifest }), ...manual });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location')!);
}

/** A request as no well-behaved client makes it. */
function raw({ hostname, port }: URL, more: { path: string; headers?: Record<string, string> }) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = send({ hostname, port, ...more }, async (response) => {
      let body = '';
      for await (const part of response) body += String(part);
      resolve({ status: response.statusCode, body });
    });
    sent.on('error', reject).end();
  });
}

describe('bot-hosts', () => {
  it('H5 a server without an App lets one be registered by one click, keeps its credentials, and serves as it at once and after', async () => {
    const server = await serve();
    const page = await server.heard(PAGE);
    expect((await fetch(new URL('/', page), manual)).headers.get('location')).toBe('/probot');
    expect((await fetch(new URL('/readyz', page))).status).toBe(503);

    const back = await register(page);
    const registered = await fetch(back, manual);

    expect(registered.headers.get('location')).toBe(`${github.url}/apps/dsh/installations/new`);
    const webhooks = await server.heard(/listens for webhooks at (\S+)/);
    expect((await fetch(webhooks, { method: 'POST', body: '{}' })).status).toBe(401);
    const file = join(dataDir, 'app.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      APP_ID: String(github.app.id),
      PRIVATE_KEY: github.app.privateKey,
      WEBHOOK_SECRET: github.app.webhookSecret,
    });
    expect(server.said.join('\n')).not.toContain(github.app.webhookSecret);
    await server.stop();

    const again = await serve({ NODE_ENV: 'production' });
    await again.heard(/listens for webhooks at (\S+)/);
    expect(again.said).toHaveLength(1);
    await again.stop();
  });

  it('H5 the manifest is app.yml with the addresses at which the server is reached', async () => {
    const server = await serve();
    const page = await server.heard(PAGE);
    const { action, manifest } = await formOf(`${page}?organization=acme`);
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'dsh.example' };
    const behind = await (await fetch(page, { headers })).text();

    const { origin } = new URL(page);
    const file = parse(await readFile(new URL('../../app.yml', import.meta.url), 'utf8')) as object;
    expect(JSON.parse(manifest)).toEqual({
      ...file,
      hook_attributes: { url: `${origin}/api/github/webhooks` },
      redirect_url: `${origin}/probot/setup`,
      callback_urls: [`${origin}/login/callback`],
    });
    expect(action).toMatch(/\/organizations\/acme\/settings\/apps\/new\?state=[\w-]{32}$/);
    expect(behind).toContain('https://dsh.example/api/github/webhooks');
    await server.stop();
    expect(server.said).toHaveLength(1);
  });

  it('H5 a code that this server did not ask for, or that GitHub does not know, registers nothing', async () => {
    const server = await serve();
    const page = await server.heard(PAGE);
    const back = await register(page);
    const forged = new URL(back);
    forged.searchParams.set('state', 'x'.repeat(32));
    const unknown = new URL(back);
    unknown.searchParams.set('code', 'unknown');

    expect((await fetch(forged, manual)).status).toBe(400);
    expect((await fetch(unknown, manual)).status).toBe(502);
    expect((await fetch(new URL('/probot/setup', page), manual)).status).toBe(400);

    expect(server.said).toHaveLength(1);
    await server.stop();
  });

  it.each([[{ NODE_ENV: 'production' }], [{ APP_ID: '1' }]])(
    'H5 with %j nobody is let in: what is missing is said',
    async (variables) => {
      const server = await serve(variables as Record<string, string>);

      await expect(server.done).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      expect(server.said).toEqual([]);
    },
  );

  it('H5 GitHub reaches the server and so do others: who does not come from this machine needs the key that was printed', async () => {
    const server = await serve();
    const page = new URL(await server.heard(PAGE));
    const open = (path: string, headers: Record<string, string> = {}) => raw(page, { path, headers });

    expect((await open('/probot')).status).toBe(200);
    expect((await open('/probot', { host: `localhost:${page.port}` })).status).toBe(200);
    const strangers: Record<string, string>[] = [
      { host: 'dsh.example' },
      { host: `127.0.0.1.evil.example:${page.port}` },
      { 'x-forwarded-for': '10.0.0.1' },
      { 'x-forwarded-host': 'localhost' },
      { forwarded: 'for=10.0.0.1' },
    ];
    for (const headers of strangers) {
      const shut = await open('/probot', headers);
      expect({ headers, status: shut.status }).toEqual({ headers, status: 403 });
      expect(shut.body).not.toContain('state=');
      expect((await open(page.pathname, headers)).status).toBe(200);
    }
    expect((await open(`${page.pathname}x`)).status).toBe(404);
    await server.stop();
  });

  it.each(['//evil.example/probot', '/\\evil.example/probot', 'http://evil.example/probot', '*', 'http://[', ''])(
    'H5 a link with the target %j makes no page that sends the App elsewhere',
    async (path) => {
      const server = await serve();
      const page = new URL(await server.heard(PAGE));

      const { status, body } = await raw(page, { path });

      expect(body).not.toContain('evil.example');
      // An empty target is sent as the root.
      expect(status).toBe(path === '' ? 302 : 404);
      await server.stop();
    },
  );

  it('H5 no other page may frame it', async () => {
    const server = await serve();
    const { headers } = await fetch(await server.heard(PAGE));
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    await server.stop();
  });

  it('H5 of two answers at once one registers the App; a browser that is gone by then changes nothing', async () => {
    const server = await serve();
    const back = await register(await server.heard(PAGE));
    github.faults.inject({ match: { path: /conversions$/ }, latencyMs: 300 });
    const leaving = new AbortController();
    const first = fetch(back, { ...manual, signal: leaving.signal }).catch(() => 'gone');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await fetch(back, manual)).status).toBe(409);
    leaving.abort();

    expect(await first).toBe('gone');
    await server.heard(/listens for webhooks at (\S+)/);
    expect(await readdir(dataDir)).toContain('app.json');
    await server.stop();
  });

  it('H5 once the App is registered the page is gone', async () => {
    const server = await serve();
    const page = await server.heard(PAGE);
    await fetch(await register(page), manual);
    const { origin } = new URL(await server.heard(/listens for webhooks at (\S+)/));

    for (const path of ['/probot', new URL(page).pathname, '/probot/setup?code=x&state=y'])
      expect((await fetch(`${origin}${path}`, manual)).status).toBe(404);
    await server.stop();
  });

  it('H5 credentials that cannot be stored are said, and nobody is told that all is well', async () => {
    const server = await serve();
    const back = await register(await server.heard(PAGE));
    await mkdir(join(dataDir, 'app.json'));

    const answer = await fetch(back, manual);

    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('could not be stored')]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('app.json'))).toEqual(['app.json']);
    expect(server.said).toHaveLength(1);
    await server.stop();
  });

  it('H5 stored anew, the file is for its owner alone, and nothing else is left', async () => {
    await writeFile(join(dataDir, 'app.json'), '{}', { mode: 0o644 });
    const credentials = {
      ...{ APP_ID: '1', PRIVATE_KEY: 'k', WEBHOOK_SECRET: 's' },
      ...{ GITHUB_CLIENT_ID: 'i', GITHUB_CLIENT_SECRET: 'c' },
    };

    const file = await storeAppCredentials(dataDir, credentials);

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readAppCredentials(dataDir)).toEqual(credentials);
    expect(await readdir(dataDir)).toEqual(['app.json']);
  });

  it.each(['', '{', '{"APP_ID":1}', '{"PRIVATE_KEY":"k-secret"'])(
    'H5 a file of credentials that holds %j is named, with what to do, and shows nothing of itself',
    async (text) => {
      await writeFile(join(dataDir, 'app.json'), text);
      const server = await serve();

      const error = (await server.done.catch((thrown: unknown) => thrown)) as DshError;

      expect([error.code, error.message]).toEqual([
        'CONFIG_INVALID',
        expect.stringContaining('app.json does not hold'),
      ]);
      expect(error.hint).toContain('register the App anew');
      expect(JSON.stringify([error.message, error.hint, String(error.cause)])).not.toContain('k-secret');
    },
  );

  it('H5 a second server at the same place says what is in the way', async () => {
    const server = await serve();
    const { port } = new URL(await server.heard(PAGE));

    const second = await serve({ PORT: port });

    await expect(second.done).rejects.toMatchObject({ code: 'CONFIG_INVALID', hint: expect.stringContaining('PORT') });
    await server.stop();
  });
});
