import type { Config } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import { DEFAULT_CONFIG } from './default-config.ts';

/** Later layers win, key by key; `undefined` leaves what was there. */
export function mergeConfig(...layers: readonly ConfigFile[]): Config {
  const merged = layers.reduce<Record<string, unknown>>(mergeDeep, { ...DEFAULT_CONFIG });
  return merged as unknown as Config;
}

function mergeDeep(base: Record<string, unknown>, layer: object): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(layer)) {
    if (value === undefined) continue;
    const old = merged[key];
    merged[key] = isPlain(old) && isPlain(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
