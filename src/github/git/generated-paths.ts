import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from './checkout.ts';
import { git } from './git.ts';

const ATTRIBUTES = ['linguist-generated', 'linguist-vendored'] as const;

/**
 * Which paths the base's `.gitattributes` call generated or vendored. The base's, since a pull request may not take
 * itself out of its review.
 */
export async function generatedPaths(
  { gitDir, baseSha }: Pick<Checkout, 'gitDir' | 'baseSha'>,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const entries = await attributeFiles(gitDir, baseSha, signal);
  if (entries.length === 0 || paths.length === 0) return new Set();
  const folder = await mkdtemp(join(tmpdir(), 'dsh-attributes-'));
  try {
    const options = { gitDir, env: { GIT_INDEX_FILE: join(folder, 'index') }, signal };
    await git(['update-index', '-z', '--index-info'], { ...options, input: entries.map((one) => `${one}\0`).join('') });
    const input = paths.map((path) => `${path}\0`).join('');
    const { stdout } = await git(['check-attr', '--cached', '-z', '--stdin', ...ATTRIBUTES], { ...options, input });
    return new Set(setPaths(stdout.toString().split('\0')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As `mode sha\tpath`, which is how an index is told them. */
async function attributeFiles(gitDir: string, sha: string, signal?: AbortSignal): Promise<string[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', sha], { gitDir, signal });
  return stdout
    .toString()
    .split('\0')
    .filter((entry) => /\t(.*\/)?\.gitattributes$/s.test(entry) && entry.startsWith('100'))
    .map((entry) => entry.replace(' blob ', ' '));
}

/** Three fields an answer: path, attribute, value. */
function* setPaths(fields: readonly string[]): Generator<string> {
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (fields[at + 2] === 'set' || fields[at + 2] === 'true') yield fields[at]!;
  }
}
