import { isAbsolute, join } from 'node:path';

/** Where compiled code is kept between runs: a folder that only this user writes, unlike Node's own choice. Pure. */
export function compileCacheOf(variables: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = variables;
  if (isAbsolute(cache)) return join(cache, 'dsh', 'compiled');
  return isAbsolute(home) ? join(home, '.cache', 'dsh', 'compiled') : undefined;
}
