import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesChangedSince } from '../../src/docker/bash/bytes-changed-since.ts';
import { GrowthWatch } from '../../src/docker/bash/tree-growth.ts';
import { bashTool } from '../../src/seams/bash/bash-tool.ts';
import { SandboxPolicyService } from '../../src/seams/sandbox/sandbox-policy.ts';
import { createToolBench } from '../seams/tool-bench.ts';
import { removeFolder } from '../../src/remove-folder.ts';
import { makeDeepFolder } from '../support/make-deep-folder.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

let tree: string;
beforeEach(() => void (tree = mkdtempSync(join(tmpdir(), 'dsh-growth-'))));
afterEach(() => removeFolder(tree));

function write(path: string, bytes: number): void {
  mkdirSync(join(tree, path, '..'), { recursive: true });
  writeFileSync(join(tree, path), Buffer.alloc(bytes, 'x'));
}

/** A tree on a disk of which this much is free, now and at each further look. */
function watchOf(maxBytes: number, ...free: number[]) {
  let last = 0;
  const next = () => (last = free.shift() ?? last);
  return new GrowthWatch({ tree, maxBytes, free: async () => ({ bytes: next(), files: 10_000_000 }) });
}

describe('bash', () => {
  it('N11 counts what was made or changed since, on disk, each file once, and nothing behind a link', async () => {
    write('old.bin', 4 * MIB);
    await sleep(300);
    const since = Date.now() - 100;
    write('a/new.bin', MIB);
    linkSync(join(tree, 'a/new.bin'), join(tree, 'twin.bin'));
    write('sparse.bin', 0);
    truncateSync(join(tree, 'sparse.bin'), GIB);
    symlinkSync('/usr', join(tree, 'usr'));

    const { bytes, isWhole } = await bytesChangedSince(tree, since, GIB);

    expect(isWhole).toBe(true);
    expect(bytes).toBeGreaterThanOrEqual(MIB);
    expect(bytes).toBeLessThan(1.5 * MIB);
    expect((await bytesChangedSince(tree, since - 60_000, GIB)).bytes).toBeGreaterThan(5 * MIB);
  });

  it('N11 counts files without content, which use a disk up, too', async () => {
    for (let n = 0; n < 100; n += 1) write(`empty/${n}`, 0);

    expect((await bytesChangedSince(tree, Date.now() - 60_000, GIB)).bytes).toBeGreaterThanOrEqual(100 * 4_096);
  });

  it('N11 looks through the tree only when the disk has lost so much that the tree may be why', async () => {
    const watch = watchOf(2 * MIB, 100 * GIB, 100 * GIB, 100 * GIB - 3 * MIB, 99 * GIB);
    await watch.begin();
    write('new.bin', 3 * MIB);

    expect(await watch.look()).toBeUndefined();
    expect(await watch.look()).toEqual({ bytes: expect.any(Number), maxBytes: 2 * MIB });
    rmSync(join(tree, 'new.bin'));
    expect(await watch.look()).toBeUndefined();
  });

  it('N11 a tree that hides something, deeper than a path is long, answers for all that is gone from the disk', async () => {
    const watch = watchOf(2 * MIB, 100 * GIB, 100 * GIB - MIB, 100 * GIB - 3 * MIB);
    await watch.begin();
    makeDeepFolder(tree);

    expect(await watch.look()).toBeUndefined();
    expect(await watch.look()).toEqual({ bytes: 3 * MIB, maxBytes: 2 * MIB });
  });

  it('N11 leaves the host room on a small disk, also from files without a name', async () => {
    const small = watchOf(10 * GIB, GIB, GIB - 200 * MIB, 100 * MIB);
    await small.begin();

    expect(await small.look()).toBeUndefined();
    expect(await small.look()).toEqual({ bytes: GIB - 100 * MIB, maxBytes: 512 * MIB });
  });

  it('N11 looks through the tree, too, when files run out and bytes do not', async () => {
    let files = 10_000_000;
    const watch = new GrowthWatch({ tree, maxBytes: 100 * 4_096, free: async () => ({ bytes: 100 * GIB, files }) });
    await watch.begin();
    for (let n = 0; n < 150; n += 1) write(`empty/${n}`, 0);

    expect(await watch.look()).toBeUndefined();
    files -= 150;
    expect(await watch.look()).toMatchObject({ maxBytes: 100 * 4_096 });
  });

  it('N11 a tree that is gone has not grown', async () => {
    const watch = new GrowthWatch({ tree: join(tree, 'gone'), maxBytes: MIB });

    expect(await watch.look()).toBeUndefined();
  });
});

describe('bash', () => {
  let bench: SandboxBench;
  beforeEach(async () => void (bench = await openBench()));
  afterEach(() => bench.close());

  const growth = () => ({ tree: bench.tree, maxBytes: 64 * MIB });
  const fill = (name: string, mib: number) => `dd if=/dev/zero of=${name} bs=1M count=${mib} status=none`;

  it('N11 names the size when a call leaves too much in the tree, until it is gone', async () => {
    const tools = await createToolBench();
    tools.ctx.provide('bash', bench.bash({ growth: growth() }));
    tools.ctx.provide(
      'sandboxPolicy',
      new SandboxPolicyService({ mode: 'workspace-write', workspaceRoot: '/workspace' }),
    );
    await tools.ctx.plugin(bashTool, { escalation: false });
    const call = (command: string) => ({ command, description: 'test' });

    expect((await tools.call('bash', call(fill('some', 20)))).isError).toBe(false);
    const over = await tools.failure('bash', call(`echo begun; ${fill('big', 160)}`));
    const still = await tools.failure('bash', call('echo next'));
    const freed = await tools.call('bash', call('rm big'));

    expect(over.code).toBe('BASH_TREE_OVERGROWN');
    expect(over.text).toMatch(/have put \d+ MiB into the work tree, the limit is 64 MiB; .*delete what is not needed/);
    expect(over.text).toMatch(/\nbegun(\n|$)/);
    expect(still.code).toBe('BASH_TREE_OVERGROWN');
    expect(freed.isError).toBe(false);
  }, 60_000);

  it('N11 ends a command that fills the disk, long before its time limit, and the next one works', async () => {
    const bash = bench.bash({ growth: growth() });
    const flood = `i=0; while :; do i=$((i + 1)); ${fill('part.$i', 32)}; sleep 0.1; done`;

    const startedAt = performance.now();
    const result = await bash.run(bash.resolve({ command: flood, timeoutMs: 50_000 }));

    expect(performance.now() - startedAt).toBeLessThan(25_000);
    expect([result.timedOut, result.aborted, result.signal]).toEqual([false, false, 'SIGTERM']);
    expect(result.sandbox?.overgrown).toMatchObject({ maxBytes: 64 * MIB });
    const after = await bash.run(bash.resolve({ command: 'rm part.*; echo fine' }));
    expect([after.stdout.text, after.sandbox?.overgrown]).toEqual(['fine\n', undefined]);
  }, 60_000);

  it('N11 ends a background command that fills the disk', async () => {
    const bash = bench.bash({ growth: growth() });
    const flood = `i=0; while :; do i=$((i + 1)); ${fill('part.$i', 32)}; sleep 0.1; done`;

    const process = bash.start(bash.resolve({ command: flood }));
    await process.done;

    expect([process.status, process.signal]).toEqual(['killed', 'SIGTERM']);
    expect(process.sandbox?.overgrown?.bytes).toBeGreaterThan(64 * MIB);
  }, 60_000);
});
