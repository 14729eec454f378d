import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { GitHubEvent } from '../../src/triggers/reading.ts';

const timingSafeEqual = jest.fn<(a: Buffer, b: Buffer) => boolean>();
const crypto = await import('node:crypto');
timingSafeEqual.mockImplementation((a, b) => crypto.timingSafeEqual(a, b));
jest.unstable_mockModule('node:crypto', () => ({ ...crypto, timingSafeEqual }));
const { receiveWebhook } = await import('../../src/serve/webhook-route.ts');

const SECRET = 'a webhook secret';
const sign = (body: string | Buffer, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const LIMIT = 25 * 1024 * 1024;

describe('bot-security', () => {
  let server: Server;
  let url: string;
  const taken: GitHubEvent[] = [];
  const failures: unknown[] = [];
  beforeAll(async () => {
    server = createServer((incoming, response) => {
      receiveWebhook(incoming, response, { secret: SECRET, accept: (event) => void taken.push(event) }).catch(
        (error: unknown) => failures.push(error),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    taken.length = 0;
    failures.length = 0;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const post = (body: string | Buffer, headers: Record<string, string | undefined> = {}) => {
    const all = {
      'x-github-event': 'issues',
      'x-github-delivery': 'd1',
      'x-hub-signature-256': sign(body),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return fetch(url, { method: 'POST', body: Buffer.from(body), headers: sent });
  };

  it('X8 takes a signed delivery and answers 202', async () => {
    const response = await post('{"action":"opened"}');

    expect(response.status).toBe(202);
    expect(taken).toEqual([{ name: 'issues', delivery: 'd1', payload: { action: 'opened' } }]);
  });

  it('X8 the signature is over the bytes as they came, whatever JSON they are', async () => {
    expect((await post('{ "a" :\t"\\u00e9",\r\n"b":1.0 }')).status).toBe(202);
    expect((await post('{"a":1}', { 'x-hub-signature-256': sign('{"a": 1}') })).status).toBe(401);
    expect((await post(Buffer.from([0x7b, 0xff, 0x7d]))).status).toBe(400);
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one of another secret', sign('{}', 'other')],
    ['one of the same length', `sha256=${'0'.repeat(64)}`],
    ['a shorter one', sign('{}').slice(0, -1)],
    ['a longer one', `${sign('{}')}0`],
    ['one without its prefix', sign('{}').slice(7)],
    ['one in capitals', sign('{}').toUpperCase()],
    ['a SHA-1 one', `sha1=${createHmac('sha1', SECRET).update('{}').digest('hex')}`],
    ['one of other characters', `sha256=${'é'.repeat(32)}`],
  ])('X8 refuses with 401, before it is parsed, a delivery with a signature that is %s', async (_, signature) => {
    const response = await post('{}', { 'x-hub-signature-256': signature });

    expect(response.status).toBe(401);
    expect(taken).toEqual([]);
  });

  it('X8 bytes that are no JSON are not even parsed without a signature', async () => {
    expect((await post('{', { 'x-hub-signature-256': sign('}') })).status).toBe(401);
    expect((await post('{')).status).toBe(400);
    expect(taken).toEqual([]);
  });

  it('X8 compares in constant time', async () => {
    timingSafeEqual.mockClear();

    await post('{}', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
    await post('{}');

    expect(timingSafeEqual.mock.results.map(({ value }) => value)).toEqual([false, true]);
  });

  it.each(['x-github-event', 'x-github-delivery'])('X8 refuses a signed request without %s', async (header) => {
    expect((await post('{}', { [header]: undefined })).status).toBe(400);
    expect(taken).toEqual([]);
  });

  it.each(['null', '1', 'true', '"text"', '[]', '[{}]', ''])('X8 answers 400 to the signed body %j', async (body) => {
    expect((await post(body)).status).toBe(400);
    expect(taken).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('X8 takes a body of 25 MB, and answers 413 to a longer one', async () => {
    const body = (length: number) =>
      Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(length - 8, 'a'), Buffer.from('"}')]);

    expect((await post(body(LIMIT))).status).toBe(202);
    expect((await post(body(LIMIT + 1))).status).toBe(413);
    expect(taken).toHaveLength(1);
  });

  it('X8 answers 413 to a body that hides its length, also while more of it is sent', async () => {
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, host: '127.0.0.1', method: 'POST' });
    const status = new Promise((resolve, reject) => {
      sending.on('response', (response) => resolve(response.resume().statusCode));
      sending.on('error', reject);
    });

    const chunk = Buffer.alloc(1024 * 1024, 'a');
    for (let i = 0; i < 80; i++) if (!sending.write(chunk)) await Promise.race([once(sending, 'drain'), status]);
    sending.end();

    expect(await status).toBe(413);
    expect(taken).toEqual([]);
  });

  it('X8 a body that stops half way is not taken', async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nX-Hub-Signature-256: ${sign('{}')}\r\nX-GitHub-Event: issues\r\nX-GitHub-Delivery: d\r\n\r\n{}`,
      );
      setTimeout(() => socket.destroy(), 20);
    });
    await new Promise((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));

    expect(taken).toEqual([]);
    expect(failures).toHaveLength(1);
  });
});
