import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Checkout } from '../../src/github/git/checkout.ts';
import { fetchLfs } from '../../src/github/git/fetch-lfs.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { GitFixture, writeFiles } from './support/git-fixture.ts';

const CONTENT = Buffer.from([0, 1, 2, 255, 10]);
const OID = createHash('sha256').update(CONTENT).digest('hex');
const pointer = (oid = OID, size = CONTENT.byteLength) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
const ATTRIBUTES = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
const SERVER = 'https://github.example/acme/shop.git';

let fixture: GitFixture;
let asked: { url: string; authorization: string | undefined }[];
beforeEach(() => {
  fixture = new GitFixture();
  asked = [];
});
afterEach(() => fixture.close());

async function open(files: Record<string, string>): Promise<Checkout> {
  fixture.commit(files);
  const checkout = await fixture.open({ kind: 'branch' }, { tokens: async () => 'ghs_secret' });
  const repository = { ...checkout.mirror.repository, cloneUrl: SERVER };
  return { ...checkout, mirror: { ...checkout.mirror, repository } };
}

/** A server that has these contents, by oid. */
const serving =
  (contents: Record<string, Buffer>, base = 'https://objects.example') =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    asked.push({ url, authorization: new Headers(init?.headers).get('authorization') ?? undefined });
    if (!url.endsWith('/batch')) return new Response(new Uint8Array(contents[url.split('/').at(-1)!]!));
    const { objects } = JSON.parse(String(init!.body)) as { objects: { oid: string; size: number }[] };
    const answer = objects.map(({ oid, size }) =>
      contents[oid] ? { oid, size, actions: { download: { href: `${base}/${oid}` } } } : { oid, size, error: {} },
    );
    return Response.json({ objects: answer });
  };

const inTree = ({ workTree }: Checkout, path: string) => readFileSync(join(workTree, path));

describe('bot-fix', () => {
  it('C4 with `checkout.lfs` the contents stand in the tree, and the commit stays as it is', async () => {
    const checkout = await open({ '.gitattributes': ATTRIBUTES, 'a.bin': pointer(), 'plain.txt': 'x\n' });

    const report = await fetchLfs(checkout, { fetch: serving({ [OID]: CONTENT }) });

    expect(report).toEqual({ fetched: ['a.bin'], missing: [] });
    expect(inTree(checkout, 'a.bin')).toEqual(CONTENT);
    expect(await readTreeChanges(checkout)).toEqual({ changes: [], leftOut: [] });
    expect(asked[0]).toMatchObject({
      url: `${SERVER}/info/lfs/objects/batch`,
      authorization: expect.stringMatching(/^basic /),
    });
    expect(asked[1]).toEqual({ url: `https://objects.example/${OID}`, authorization: undefined });
  });

  it('C4 a changed LFS file is left out by name; a deleted one is deleted', async () => {
    const checkout = await open({ '.gitattributes': ATTRIBUTES, 'a.bin': pointer(), 'b.bin': pointer() });
    await fetchLfs(checkout, { fetch: serving({ [OID]: CONTENT }) });

    writeFiles(checkout.workTree, { 'a.bin': 'changed', 'b.bin': undefined });

    expect(await readTreeChanges(checkout)).toEqual({
      changes: [{ kind: 'deleted', path: 'b.bin' }],
      leftOut: [{ path: 'a.bin', reason: 'lfs-content' }],
    });
  });

  it('C4 what the server does not have, or answers with other bytes or in the clear, stays a pointer and is named', async () => {
    const other = 'b'.repeat(64);
    const files = { '.gitattributes': ATTRIBUTES, 'a.bin': pointer(), 'b.bin': pointer(other) };
    const checkout = await open(files);

    const wrong = await fetchLfs(checkout, { fetch: serving({ [OID]: Buffer.from('other') }) });
    const plain = await fetchLfs(checkout, { fetch: serving({ [OID]: CONTENT }, 'http://objects.example') });

    for (const report of [wrong, plain]) expect(report).toEqual({ fetched: [], missing: ['a.bin', 'b.bin'] });
    expect(inTree(checkout, 'a.bin').toString()).toBe(pointer());
    expect(await readTreeChanges(checkout)).toEqual({ changes: [], leftOut: [] });
  });

  it('C4 D11 a repository without LFS, or with pointers that nobody declared, asks nobody', async () => {
    const checkout = await open({ 'a.bin': pointer() });

    expect(await fetchLfs(checkout, { fetch: serving({}) })).toEqual({ fetched: [], missing: [] });
    expect(asked).toEqual([]);
    expect(existsSync(join(checkout.mirror.gitDir, 'lfs'))).toBe(false);
  });

  it('C1 C4 a second session takes the contents from beside the mirror', async () => {
    const files = { '.gitattributes': ATTRIBUTES, 'a.bin': pointer() };
    const first = await open(files);
    await fetchLfs(first, { fetch: serving({ [OID]: CONTENT }) });
    asked = [];

    const second = { ...(await fixture.open({ kind: 'branch' }, { session: 's2' })), mirror: first.mirror };
    await fetchLfs(second, { fetch: serving({}) });

    expect(asked).toEqual([]);
    expect(inTree(second, 'a.bin')).toEqual(CONTENT);
  });
});
