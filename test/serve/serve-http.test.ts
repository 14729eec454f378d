import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serveHttp } from '../../src/serve/serve-http.ts';
import type { RunningHttp } from '../../src/serve/serve-http.ts';

const SECRET = 'a webhook secret';

describe('bot-hosts', () => {
  let http: RunningHttp;
  let reasons: string[];
  let accept: () => Promise<void>;
  const logged: string[] = [];
  beforeEach(async () => {
    reasons = [];
    accept = async () => {};
    http = await serveHttp({
      ...{ host: '127.0.0.1', port: 0, secret: SECRET, notReady: async () => reasons, accept: () => accept() },
      log: (message) => logged.push(message),
    });
  });
  afterEach(() => http.close());

  const post = (body: string) =>
    fetch(http.url, {
      method: 'POST',
      body,
      headers: {
        'x-github-event': 'issues',
        'x-github-delivery': 'd1',
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      },
    });

  it('H1 a delivery is answered only once it is stored', async () => {
    const stored = Promise.withResolvers<void>();
    accept = () => stored.promise;
    let isAnswered = false;
    const answer = post('{}').then((response) => {
      isAnswered = true;
      return response.status;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);

    stored.resolve();
    expect(await answer).toBe(202);
  });

  it('H1 what cannot be stored is answered with a failure, so that GitHub keeps it', async () => {
    accept = () => Promise.reject(new Error('disk full'));

    expect((await post('{}')).status).toBe(500);
    expect(logged).toEqual(['a request could not be answered']);
    accept = async () => {};
    expect((await post('{}')).status).toBe(202);
  });

  it('H3 who keeps a connection open without a request, or sends for ever, does not keep the process from ending', async () => {
    const port = Number(new URL(http.url).port);
    const silent = connect(port, '127.0.0.1');
    const slow = connect(port, '127.0.0.1');
    for (const socket of [silent, slow]) socket.on('error', () => {});
    slow.write('POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{');
    await new Promise((resolve) => setTimeout(resolve, 50));

    const from = performance.now();
    await http.close(100);
    expect(performance.now() - from).toBeLessThan(2_000);
    for (const socket of [silent, slow]) socket.destroy();
  });

  it.each(['{"installation":{"id":"7"}}', '{"installation":{}}', '{"installation":7}'])(
    'H1 an installation that is none is refused, and no failure of ours: %s',
    async (body) => {
      expect((await post(body)).status).toBe(400);
    },
  );

  it('H1 an installation that is absent or null is taken', async () => {
    expect((await post('{"installation":null}')).status).toBe(202);
    expect((await post('{"installation":{"id":7}}')).status).toBe(202);
  });

  it('H1 says that it lives, and apart from that whether it can work, and why not', async () => {
    const get = async (path: string) => {
      const response = await fetch(new URL(path, http.url));
      return [response.status, await response.text()];
    };
    expect(await get('/healthz')).toEqual([200, 'ok']);
    expect(await get('/readyz')).toEqual([200, 'ok']);

    reasons = ['The Docker engine does not answer.', 'The database is away.'];
    expect(await get('/healthz')).toEqual([200, 'ok']);
    expect(await get('/readyz')).toEqual([503, reasons.join('\n')]);
    expect((await get('/'))[0]).toBe(404);
  });
});
