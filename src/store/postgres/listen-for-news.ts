import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** Tables tell of themselves on it: `schema.ts`. */
export const NEWS_CHANNEL = 'dsh_news';
const PAUSE_MS = 1_000;

/**
 * Calls when any process took in a delivery, and when the connection was away for a time in which one may have come.
 * Returns what ends it.
 */
export function listenForNews(url: string, listener: () => void): () => Promise<void> {
  const ending = new AbortController();
  const listening = (async () => {
    while (!ending.signal.aborted) {
      await listenOnce(url, listener, ending.signal).catch(() => {});
      await sleep(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return async () => {
    ending.abort();
    await listening;
  };
}

/** Until the connection ends. */
async function listenOnce(url: string, listener: () => void, signal: AbortSignal): Promise<void> {
  const { Client } = (await import('pg')).default;
  const client: Client = new Client({ connectionString: url, keepAlive: true });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  client.on('error', () => end());
  client.on('end', () => end());
  client.on('notification', listener);
  signal.addEventListener('abort', end as () => void, { once: true });
  try {
    await client.connect();
    await client.query(`listen ${NEWS_CHANNEL}`);
    listener();
    if (!signal.aborted) await ended;
  } finally {
    signal.removeEventListener('abort', end as () => void);
    await client.end().catch(() => {});
  }
}
