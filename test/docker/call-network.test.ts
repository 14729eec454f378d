import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { AddressRules } from '../../src/docker/egress/admit.ts';
import { RequestLog } from '../../src/docker/egress/request-log.ts';
import { forbiddenAddress } from '../../src/docker/egress/resolve-host.ts';
import type { SandboxMode, SandboxNetwork } from '../../src/seams/sandbox/types.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';
import { openUpstream } from './support/upstream.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-call-'));
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
  expect(readdirSync(folder)).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const rules: AddressRules = {
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  forbidden: (address) => (address === '127.0.0.1' ? undefined : forbiddenAddress(address)),
};

/** A session without network, in which one can be opened for a call, and a server behind every name. */
async function open(mode: 'read-only' | 'workspace-write' = 'workspace-write') {
  const upstream = await openUpstream((_request, response) => response.end('from outside'));
  opened.push(upstream);
  const log = new RequestLog();
  const hosts = [`listed.test:${upstream.port}`];
  const bench = await openBench({ mode, callEgress: { folder, hosts, record: log.add, rules } }, { 'get.mjs': GET });
  opened.push(bench);
  return { bench, log, url: `http://listed.test:${upstream.port}/`, other: 'http://other.test/' };
}

function run(bench: SandboxBench, command: string, network?: SandboxNetwork, mode: SandboxMode = 'workspace-write') {
  const bash = bench.bash();
  const sandboxPolicy = { mode, workspaceRoot: '/workspace', ...(network && { network }) };
  return bash.run(bash.resolve({ command, sandboxPolicy }));
}

const GET = `
import { get } from 'node:http';
const print = (response) => (console.log(response.statusCode), response.pipe(process.stdout));
get(process.argv[2], print).on('error', ({ code }) => console.log(code));
`;
const get = (url: string) => `node get.mjs ${url}`;

describe('sandbox', () => {
  it('N12 opens the network for one call, in a container of its own, and the next call is back', async () => {
    const { bench, log, url, other } = await open();

    const opened = await run(
      bench,
      `echo kept > /tmp/note; ${get(url)}; ${get(other)}; echo done > made`,
      'allow-list',
    );
    const next = await run(bench, `cat /tmp/note made; env | grep -ci proxy; ${get(url)}`);

    expect(opened.stdout.text).toMatch(
      /^200\nfrom outside403\nThe network of this sandbox refused other\.test:80: not on the list/,
    );
    expect(next.stdout.text).toMatch(/^kept\ndone\n0\nE/);
    expect(log.take().map(({ host, verdict }) => [host, verdict])).toEqual([
      ['listed.test', 'allowed'],
      ['other.test', 'refused'],
    ]);
    expect(await bench.containers()).toHaveLength(1);
  }, 60_000);

  it('N12 full reaches hosts beyond the list and no private address', async () => {
    const { bench, url } = await open();

    const { stdout } = await run(
      bench,
      `${get(url)}; ${get('http://127.0.0.1:1/')}; ${get('http://169.254.169.254/')}`,
      'full',
    );

    expect(stdout.text).toMatch(/^200\nfrom outside/);
    expect(stdout.text).not.toMatch(/200[\s\S]*200/);
  }, 60_000);

  it('N12 keeps the mode of the call', async () => {
    const { bench, url } = await open('read-only');

    const confined = await run(bench, `${get(url)}; touch made`, 'full', 'read-only');

    expect(confined.stdout.text).toContain('from outside');
    expect([confined.sandbox?.mode, confined.sandbox?.denied, existsSync(join(bench.tree, 'made'))]).toEqual([
      'read-only',
      true,
      false,
    ]);
    const wide = await run(bench, `id -u; ${get(url)}`, 'full', 'danger-full-access');
    expect(wide.stdout.text).toBe('0\n200\nfrom outside');
  }, 60_000);

  it('N12 what an opened call leaves running is ended with it, and so is its way out', async () => {
    const { bench, url, log } = await open();
    const loop = `(setsid bash -c 'while :; do ${get(url)}; touch alive; sleep 0.1; done' >/dev/null 2>&1 &)`;

    await run(bench, `${loop}; while [ ! -e alive ]; do sleep 0.1; done`, 'full');
    rmSync(join(bench.tree, 'alive'), { force: true });
    log.take();
    await sleep(1_000);

    expect([existsSync(join(bench.tree, 'alive')), log.take()]).toEqual([false, []]);
    expect(await bench.containers()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  }, 60_000);

  it('N12 a background command keeps its network until it ends', async () => {
    const { bench, url } = await open();
    const bash = bench.bash();
    const sandboxPolicy = { mode: 'workspace-write', workspaceRoot: '/workspace', network: 'full' } as const;

    const process = bash.start(bash.resolve({ command: `sleep 0.5; ${get(url)}; sleep 60`, sandboxPolicy }));
    let output = '';
    while (!output.includes('from outside')) {
      await sleep(100);
      output += process.readOutput().delta;
    }
    process.kill();
    await process.done;

    expect(process.status).toBe('killed');
    expect(await bench.containers()).toHaveLength(1);
  }, 60_000);

  it('N12 a session that closes in mid-call takes container and way out with it', async () => {
    const { bench } = await open();
    const running = run(bench, 'touch begun; sleep 60', 'full');
    running.catch(() => {});
    while (!existsSync(join(bench.tree, 'begun'))) await sleep(50);

    await bench.sandbox.close();

    await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect([await bench.containers(), readdirSync(folder)]).toEqual([[], []]);
  }, 60_000);

  it('N12 is refused where the session can open none, and runs nothing', async () => {
    const bench = await openBench();
    opened.push(bench);

    await expect(run(bench, 'touch ran', 'full')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });

    expect(existsSync(join(bench.tree, 'ran'))).toBe(false);
  }, 60_000);
});
