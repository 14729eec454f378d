import type { KnownSecrets } from './known-secrets.ts';
import { maskText } from './text-mask.ts';

/** Plain data with every secret in its texts masked, names of fields too; the same object where it holds none. */
export function maskJson<T>(value: T, secrets: KnownSecrets): T {
  return holdsSecret(value, secrets) ? (masked(value, secrets) as T) : value;
}

/** Without recursion: nearly every value holds none, and may be nested as deep as it likes. */
function holdsSecret(value: unknown, { known }: KnownSecrets): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') {
      if (known.some((secret) => next.includes(secret))) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) rest.push(item);
    } else if (typeof next === 'object' && next !== null) {
      // Each event passes here: lists of entries would cost more than the search.
      for (const key in next) rest.push(key, (next as Record<string, unknown>)[key]);
    }
  }
  return false;
}

function masked(value: unknown, secrets: KnownSecrets): unknown {
  if (typeof value === 'string') return maskText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => masked(item, secrets));
    return items.every((item, at) => Object.is(item, value[at])) ? value : items;
  }
  const entries = Object.entries(value).map(([key, item]) => [maskText(key, secrets), masked(item, secrets)] as const);
  const isSame = entries.every(([key, item]) => Object.is((value as Record<string, unknown>)[key], item));
  return isSame ? value : Object.fromEntries(entries);
}
