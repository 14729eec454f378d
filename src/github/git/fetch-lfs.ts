import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readBaseTree } from '../tree/base-tree.ts';
import type { Checkout } from './checkout.ts';
import { git } from './git.ts';
import { basicAuthorization } from './git-environment.ts';
import { writeLfsFiles } from './lfs-files.ts';
import { MAX_POINTER_BYTES, readLfsPointer } from './lfs-pointer.ts';
import type { LfsPointer } from './lfs-pointer.ts';
import { mirrorOptions } from './mirror.ts';

/** What did not come stays a pointer in the tree. */
export interface LfsReport {
  readonly fetched: readonly string[];
  readonly missing: readonly string[];
}

/** All files of one checkout together; what is beyond stays a pointer. */
const MAX_BYTES = 1024 ** 3;
const MEDIA_TYPE = 'application/vnd.git-lfs+json';

const Batch = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      actions: z
        .object({ download: z.object({ href: z.url(), header: z.record(z.string(), z.string()).optional() }) })
        .optional(),
    }),
  ),
});

/**
 * Puts the contents of LFS files into a fresh work tree, in place of their pointers (C4, `checkout.lfs`). They are kept beside
 * the mirror, and each is checked against its pointer. The commit stays what it is: an unchanged content counts as the pointer.
 */
export async function fetchLfs(
  checkout: Checkout,
  { fetch = globalThis.fetch, signal }: { fetch?: typeof globalThis.fetch; signal?: AbortSignal } = {},
): Promise<LfsReport> {
  const pointers = await findPointers(checkout, signal);
  if (pointers.size === 0) return { fetched: [], missing: [] };
  const store = join(checkout.mirror.gitDir, 'lfs');
  await mkdir(store, { recursive: true });
  const wanted = within(MAX_BYTES, pointers);
  await download(checkout, store, [...wanted.values()], { fetch, signal });
  const placed = new Map<string, LfsPointer>();
  for (const [path, pointer] of wanted) {
    const bytes = await stored(store, pointer);
    if (!bytes) continue;
    // The place is a plain file of the commit: it is written over and keeps its mode.
    await writeFile(below(checkout.workTree, path), bytes);
    placed.set(path, pointer);
  }
  await writeLfsFiles(checkout.gitDir, placed);
  const names = (paths: Iterable<string>) => [...paths].map((path) => Buffer.from(path, 'latin1').toString());
  return { fetched: names(placed.keys()), missing: names([...pointers.keys()].filter((path) => !placed.has(path))) };
}

/** Only a repository that says so in its attributes has any. */
async function findPointers(checkout: Checkout, signal?: AbortSignal): Promise<Map<string, LfsPointer>> {
  const { headSha, mirror } = checkout;
  const options = { ...(await mirrorOptions(mirror)), gitDir: checkout.gitDir, signal };
  const { files } = await readBaseTree(checkout.gitDir, headSha, signal);
  const blob = async (sha: string) => (await git(['cat-file', 'blob', sha], options)).stdout;
  const pointers = new Map<string, LfsPointer>();
  const attributes = [...files].filter(([path]) => /(^|\/)\.gitattributes$/.test(path));
  const texts = await Promise.all(attributes.map(([, { sha }]) => blob(sha)));
  if (!texts.some((text) => text.includes('filter=lfs'))) return pointers;
  for (const [path, { sha, size, mode }] of files) {
    if (!mode.startsWith('100') || size < 100 || size >= MAX_POINTER_BYTES) continue;
    const pointer = readLfsPointer(await blob(sha));
    if (pointer) pointers.set(path, pointer);
  }
  return pointers;
}

function within(max: number, pointers: ReadonlyMap<string, LfsPointer>): Map<string, LfsPointer> {
  let total = 0;
  return new Map([...pointers].filter(([, { size }]) => (total += size) <= max));
}

interface Transport {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal | undefined;
}

async function download(
  { mirror }: Checkout,
  store: string,
  pointers: readonly LfsPointer[],
  { fetch, signal }: Transport,
): Promise<void> {
  const missing: LfsPointer[] = [];
  for (const pointer of pointers) if (!(await stored(store, pointer))) missing.push(pointer);
  if (missing.length === 0) return;
  const { cloneUrl } = mirror.repository;
  const { tokens } = mirror.settings;
  const ask = (token: string | undefined) =>
    fetch(`${cloneUrl}/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        accept: MEDIA_TYPE,
        'content-type': MEDIA_TYPE,
        ...(token && { authorization: basicAuthorization(token) }),
      },
      body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects: missing }),
      signal: signal ?? null,
    });
  const first = await ask(await tokens?.());
  const answer = first.status === 401 && tokens ? await ask(await tokens({ fresh: true })) : first;
  if (!answer.ok) return;
  const sizes = new Map(missing.map(({ oid, size }) => [oid, size]));
  for (const { oid, actions } of Batch.parse(await answer.json()).objects) {
    const size = sizes.get(oid);
    if (size === undefined || !actions || !isTrusted(actions.download.href, cloneUrl)) continue;
    const { href, header = {} } = actions.download;
    const content = await fetch(href, { headers: header, signal: signal ?? null });
    if (content.ok) await keep(store, { oid, size }, Buffer.from(await content.arrayBuffer()));
  }
}

/** Contents may come from elsewhere, but not in the clear. */
function isTrusted(href: string, cloneUrl: string): boolean {
  return href.startsWith('https:') || new URL(href).origin === new URL(cloneUrl).origin;
}

async function keep(store: string, { oid, size }: LfsPointer, bytes: Buffer): Promise<void> {
  if (bytes.byteLength !== size || createHash('sha256').update(bytes).digest('hex') !== oid) return;
  const temporary = join(store, `${oid}.${randomUUID()}`);
  await writeFile(temporary, bytes);
  await rename(temporary, join(store, oid));
}

async function stored(store: string, { oid }: LfsPointer): Promise<Buffer | undefined> {
  return await readFile(join(store, oid)).catch(() => undefined);
}

function below(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}
