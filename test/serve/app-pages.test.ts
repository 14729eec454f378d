import { afterEach, describe, expect, it } from '@jest/globals';
import { readEnv } from '../../src/config/env.ts';
import type { Bot } from '../../src/create-bot.ts';
import type { Handled } from '../../src/handle-event.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { Redactor } from '../../src/publish/redact.ts';
import { appPages } from '../../src/serve/app-pages.ts';
import { Metrics } from '../../src/serve/metrics.ts';
import { serveHttp } from '../../src/serve/serve-http.ts';
import type { RunningHttp } from '../../src/serve/serve-http.ts';
import { TranscriptLinks } from '../../src/serve/transcript-link.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf } from '../store/contract-storage.ts';

const ID = SessionId('gh-9-12-1');
const SECRET = 'a-secret-of-hooks';
const now = () => new Date(Date.UTC(2026, 10, 30));
let http: RunningHttp | undefined;
afterEach(() => http?.close());

async function serve(variables: Record<string, string> = {}, publicUrl?: string) {
  const metrics = new Metrics([{ name: 'dsh_turns', help: 'Turns.', read: () => 3 }]);
  const events = new LogWriter().startTurn().prompt('mend it, key-of-the-model').endTurn().session.events;
  const sessions = { has: async (id: string) => id === ID, inspect: async () => ({ meta: headerOf(ID), events }) };
  const bot = { sessions, redactor: new Redactor(['key-of-the-model']) } as unknown as Bot;
  const env = readEnv({ HOME: '/tmp', ...variables });
  http = await serveHttp({
    ...{ host: '127.0.0.1', port: 0, secret: SECRET, log: () => {} },
    notReady: async () => [],
    accept: async () => {},
    pages: appPages({ env, bot, secret: SECRET, metrics, publicUrl, now }),
  });
  const base = new URL(http.url).origin;
  return {
    metrics,
    get: (path: string, init: RequestInit = {}) => fetch(`${base}${path}`, { redirect: 'manual', ...init }),
  };
}

describe('bot-hosts', () => {
  it('H1 the server shows its metrics and, by a signed link, a session, and nothing else', async () => {
    const { metrics, get } = await serve();
    metrics.handled('issues', [{ status: 'ignored' }] as unknown as Handled[], 1);
    const scraped = await get('/metrics');
    expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await scraped.text()).toContain('dsh_events_total{event="issues"} 1');

    const page = await get(new TranscriptLinks(SECRET, now).pathOf(ID));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('mend it, ***')]);
    expect((await get(`/sessions/${ID}`)).status).toBe(404);
    expect((await get('/healthz')).status).toBe(200);
    for (const [path, method] of [
      ['/', 'GET'],
      ['/metrics', 'POST'],
      ['/metrics/x', 'GET'],
    ] as const) {
      expect((await get(path, { method })).status).toBe(404);
    }
  });

  it('H1 people can sign in where the App has the means for that', async () => {
    const { get } = await serve({ GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 's' }, 'https://dsh.example');
    const sent = await get(`/sessions/${ID}`);
    expect(sent.status).toBe(302);
    expect(sent.headers.get('location')).toContain('https://github.com/login/oauth/authorize?client_id=c');
  });
});
