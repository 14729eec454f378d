import { seed } from './seed.ts';

const PAGES = `export interface Page<T> {
  readonly items: readonly T[];
  readonly next: number | undefined;
}

/** Pages count from 0. */
export function pageOf<T>(all: readonly T[], page: number, size: number): Page<T> {
  const start = page * size;
  const items = all.slice(start, start + size);
  return { items, next: start + size < all.length ? page + 1 : undefined };
}
`;
const CACHE = `type Entry<T> = { value: T; expiresAt: number };

export class Cache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expiresAt <= this.#now()) return undefined;
    return entry.value;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.set(key, { value, expiresAt: this.#now() + ttlMs });
  }
}
`;
const FILES = `import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';

const ROOT = '/srv/files';

/** Serves a file below the root; nothing outside of it. */
export async function serve(name: string): Promise<Buffer | undefined> {
  const path = normalize(join(ROOT, name));
  if (!path.startsWith(\`\${ROOT}/\`)) return undefined;
  return await readFile(path).catch(() => undefined);
}
`;
const RETRY = `export async function retry<T>(work: () => Promise<T>, times: number): Promise<T> {
  let last: unknown;
  for (let attempt = 0; attempt < times; attempt++) {
    try {
      return await work();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
`;

export const TYPESCRIPT_SEEDS = [
  seed({
    ...{ id: 'ts-page-end', language: 'typescript', path: 'src/page.ts', base: PAGES },
    edits: [['start + size < all.length', 'start + size <= all.length']],
    defects: [
      {
        ...{ line: 'start + size <= all.length', class: 'off-by-one', severity: 'major' },
        title: 'A full last page promises another one that is empty',
        scenario: 'all.length = 20, size = 10, page = 1 gives next = 2, which holds nothing.',
      },
    ],
  }),
  seed({
    ...{ id: 'ts-page-clean', language: 'typescript', path: 'src/page.ts', base: PAGES },
    edits: [
      ['/** Pages count from 0. */', '/** Pages count from 0. Throws for a size below 1. */'],
      ['  const start = page * size;', "  if (size < 1) throw new RangeError('size');\n  const start = page * size;"],
    ],
  }),
  seed({
    ...{ id: 'ts-cache-unit', language: 'typescript', path: 'src/cache.ts', base: CACHE },
    edits: [
      ['ttlMs: number): void {', 'ttlSeconds: number): void {'],
      ['this.#now() + ttlMs', 'this.#now() + ttlSeconds'],
    ],
    defects: [
      {
        ...{ line: 'this.#now() + ttlSeconds', class: 'unit', severity: 'major' },
        title: 'Seconds are added to milliseconds',
        scenario: 'set("k", 1, 60) expires after 60 ms instead of a minute.',
      },
    ],
  }),
  seed({
    ...{ id: 'ts-cache-falsy', language: 'typescript', path: 'src/cache.ts', base: CACHE },
    edits: [['    return entry.value;', '    return entry.value || undefined;']],
    defects: [
      {
        ...{ line: 'entry.value || undefined', class: 'falsy-value', severity: 'major' },
        title: 'Stored values that are falsy are lost',
        scenario: 'set("n", 0, 1000) and then get("n") gives undefined instead of 0.',
      },
    ],
  }),
  seed({
    ...{ id: 'ts-files-traversal', language: 'typescript', path: 'src/serve.ts', base: FILES },
    edits: [['if (!path.startsWith(`${ROOT}/`)) return undefined;', 'if (!path.startsWith(ROOT)) return undefined;']],
    defects: [
      {
        ...{ line: 'if (!path.startsWith(ROOT)) return undefined;', class: 'path-traversal', severity: 'blocker' },
        title: 'Folders beside the root can be read',
        scenario: 'serve("../files-private/key") reads /srv/files-private/key.',
      },
    ],
  }),
  seed({
    ...{ id: 'ts-files-clean', language: 'typescript', path: 'src/serve.ts', base: FILES },
    edits: [["const ROOT = '/srv/files';", "const ROOT = '/srv/public';"]],
  }),
  seed({
    ...{ id: 'ts-retry-await', language: 'typescript', path: 'src/retry.ts', base: RETRY },
    edits: [['      return await work();', '      return work();']],
    defects: [
      {
        ...{ line: '      return work();', class: 'missing-await', severity: 'major' },
        title: 'A rejected promise is returned and never tried again',
        scenario: 'retry(() => Promise.reject(new Error("x")), 3) calls work once and rejects.',
      },
    ],
  }),
  seed({
    ...{ id: 'ts-retry-clean', language: 'typescript', path: 'src/retry.ts', base: RETRY },
    edits: [['  let last: unknown;', '  let last: unknown = new RangeError("times");']],
  }),
];
