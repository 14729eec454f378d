import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';
import type { Mirror } from './mirror.ts';

const MAX_PACKS = 50;

/**
 * Every fetch leaves a pack, and every session links them all, so from time to time they become one. Sessions keep
 * what they linked. Called under the mirror's lock.
 */
export async function tidyMirror({ gitDir, settings }: Mirror, signal?: AbortSignal): Promise<void> {
  if (settings.borrowFrom) return;
  const names = await readdir(join(gitDir, 'objects', 'pack'));
  if (names.filter((name) => name.endsWith('.pack')).length <= MAX_PACKS) return;
  await git(['repack', '-a', '-d', '-q'], { gitDir, signal });
}
