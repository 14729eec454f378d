import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Checkout } from '../../src/github/git/checkout.ts';
import { restoreSnapshot, takeSnapshot } from '../../src/github/tree/snapshot.ts';
import type { Snapshot } from '../../src/github/tree/snapshot.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { GitFixture, writeFiles, type Content } from './support/git-fixture.ts';

const BASE = { 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'old\n', '.gitignore': 'ignored/\n' };
const WORK: Record<string, Content> = {
  'a.txt': 'ONE\ntwo\nthree\n',
  'old.txt': undefined,
  'new/run.sh': { script: '#!/bin/sh\n' },
  'new/link': { link: '../a.txt' },
  'x.bin': new Uint8Array([0, 255, 10]),
  'empty "quoted" ü': '',
  'ignored/cache': 'no\n',
};
const MAX = 1024 * 1024;

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

async function workOn(files: Record<string, Content> = WORK): Promise<Checkout> {
  fixture.commit(BASE);
  const checkout = await fixture.open();
  writeFiles(checkout.workTree, files);
  return checkout;
}

const take = async (checkout: Checkout) => (await takeSnapshot(checkout, { maxBytes: MAX }))!;

/** A stored snapshot as somebody else might have written it. */
function forged(base: string, changes: object[], content = ''): Snapshot {
  const bytes = zstdCompressSync(`dsh-snapshot 1\n${JSON.stringify({ base, changes })}\n${content}`);
  return { base, bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}

describe('bot-fix', () => {
  it('C7 puts a snapshot back onto a fresh tree: bytes, modes, links, deletions, what is ignored left out', async () => {
    const before = await workOn();
    const { changes } = await readTreeChanges(before);
    const snapshot = await take(before);

    const after = await fixture.open({ kind: 'branch' }, { session: 's2' });
    expect(await restoreSnapshot(after, snapshot)).toEqual({ kind: 'restored' });

    expect((await readTreeChanges(after)).changes).toEqual(changes);
    expect(statSync(join(after.workTree, 'new/run.sh')).mode & 0o111).not.toBe(0);
    expect(existsSync(join(after.workTree, 'old.txt'))).toBe(false);
    expect(existsSync(join(after.workTree, 'ignored'))).toBe(false);
    expect(await take(after)).toEqual(snapshot);
  });

  it('C7 merges a snapshot onto a head that moved on, and names the files that do not merge', async () => {
    const snapshot = await take(await workOn({ 'a.txt': 'ONE\ntwo\nthree\n' }));

    fixture.commit({ 'b.txt': 'theirs\n', 'a.txt': 'one\ntwo\nTHREE\n' });
    const moved = await fixture.open();
    expect(await restoreSnapshot(moved, snapshot)).toEqual({ kind: 'restored' });
    expect(readFileSync(join(moved.workTree, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');

    fixture.commit({ 'a.txt': 'theirs\n' });
    const apart = await fixture.open();
    expect(await restoreSnapshot(apart, snapshot)).toMatchObject({ kind: 'conflict', paths: ['a.txt'] });
    expect((await readTreeChanges(apart)).changes).toEqual([]);
  });

  it('U8 takes no snapshot of an unchanged tree, and refuses one that is too large', async () => {
    const checkout = await workOn({});
    expect(await takeSnapshot(checkout, { maxBytes: MAX })).toBeUndefined();

    writeFiles(checkout.workTree, { 'big.txt': 'x'.repeat(101) });
    await expect(takeSnapshot(checkout, { maxBytes: 100 })).rejects.toMatchObject({ code: 'SNAPSHOT_TOO_LARGE' });
    expect(await takeSnapshot(checkout, { maxBytes: 101 })).toBeDefined();
  });
});

describe('bot-security', () => {
  it.each([
    '../out.txt',
    'a/../../out.txt',
    '/tmp/out.txt',
    '.git/hooks/pre-commit',
    'deep/.GIT/config',
    '.g\u200cit/config',
    'git~1/config',
    'a//b',
    '',
    'nul\0l',
  ])('X10 a stored snapshot that names %j puts nothing back', async (path) => {
    const checkout = await workOn({});
    const change = { kind: 'added', path, mode: '100644', size: 2 };

    const restoring = restoreSnapshot(checkout, forged(checkout.headSha, [change], 'x\n'));

    await expect(restoring).rejects.toMatchObject({ code: 'SNAPSHOT_BROKEN' });
    expect((await readTreeChanges(checkout)).changes).toEqual([]);
  });

  it('X10 a stored snapshot writes through no link, neither its own nor the commit’s', async () => {
    const outside = join(fixture.root, 'outside');
    writeFiles(outside, { keep: 'mine\n' });
    fixture.commit({ ...BASE, door: { link: outside } });
    const checkout = await fixture.open();
    const write = (path: string) => ({ kind: 'added', path, mode: '100644', size: 2 });

    await restoreSnapshot(checkout, forged(checkout.headSha, [write('door/planted')], 'x\n'));
    const link = { kind: 'added', path: 'own', mode: '120000', size: outside.length };
    const both = forged(checkout.headSha, [link, write('own/planted')], `${outside}x\n`);
    await restoreSnapshot(await fixture.open(), both).catch(() => {});

    expect(existsSync(join(outside, 'planted'))).toBe(false);
  });

  it('X10 a snapshot that was changed, cut or mislabelled in the store is refused', async () => {
    const checkout = await workOn();
    const snapshot = await take(checkout);
    const fresh = await fixture.open({ kind: 'branch' }, { session: 's2' });
    const short = [{ kind: 'added', path: 'a', mode: '100644', size: 9 }];
    const twice = [0, 1].map(() => ({ kind: 'added', path: 'a', mode: '100644', size: 1 }));
    const broken = [
      { ...snapshot, bytes: snapshot.bytes.subarray(0, -4) },
      { ...snapshot, digest: '0'.repeat(64) },
      { ...snapshot, base: 'b'.repeat(40) },
      forged(fresh.headSha, short, 'x'),
      forged(fresh.headSha, twice, 'xy'),
      forged(fresh.headSha, [{ kind: 'added', path: 'a', mode: '160000', size: 1 }], 'x'),
    ];

    for (const one of broken)
      await expect(restoreSnapshot(fresh, one)).rejects.toMatchObject({ code: 'SNAPSHOT_BROKEN' });
    expect((await readTreeChanges(fresh)).changes).toEqual([]);
  });
});
