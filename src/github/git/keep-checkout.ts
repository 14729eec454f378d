import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Repository } from '../repository.ts';
import { sessionRoot } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import { openMirror } from './mirror.ts';
import type { MirrorSettings } from './mirror.ts';

const Kept = z.object({ baseSha: z.string(), headSha: z.string(), ref: z.string() });

const FILE = 'checkout.json';

/** Notes beside the work tree what it was made of: from now on another process can go on with it (H2). */
export async function keepCheckout(
  { baseSha, headSha, ref }: Checkout,
  { dataDir, session }: { dataDir: string; session: string },
): Promise<void> {
  await writeFile(join(sessionRoot(dataDir, session), FILE), JSON.stringify({ baseSha, headSha, ref }));
}

/** The work tree that another process left, as it stands. Undefined where there is none, or not all of it. */
export async function takeOverCheckout(
  repository: Repository,
  { session, settings, signal }: { session: string; settings: MirrorSettings; signal?: AbortSignal },
): Promise<Checkout | undefined> {
  const root = sessionRoot(settings.dataDir, session);
  const [workTree, gitDir] = [join(root, 'tree'), join(root, 'git')];
  const text = await readFile(join(root, FILE), 'utf8').catch(() => undefined);
  const kept = Kept.safeParse(text === undefined ? undefined : parse(text));
  if (!kept.success || !(await exists(workTree)) || !(await exists(join(gitDir, 'HEAD')))) return undefined;
  const mirror = await openMirror(repository, settings, signal);
  return { workTree, gitDir, mirror, ...kept.data };
}

/** Cut off while it was written, it says nothing. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
