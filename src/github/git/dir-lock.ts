import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const STALE_AFTER_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
const POLL_MS = 50;

/**
 * Runs `work` alone among all processes that name the same lock. A directory is the lock, since making one is atomic
 * everywhere; its holder renews the date, and a lock not renewed for 30 s belonged to a process that died.
 */
export async function withDirLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  await acquire(path, signal);
  const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await rm(path, { recursive: true, force: true });
  }
}

async function acquire(path: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    if (await make(path)) return;
    if (await isStale(path)) await rm(path, { recursive: true, force: true });
    else await wait(POLL_MS, undefined, { signal });
  }
}

async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  return info !== undefined && Date.now() - info.mtimeMs > STALE_AFTER_MS;
}
