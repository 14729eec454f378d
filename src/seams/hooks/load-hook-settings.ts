import { readFile } from 'node:fs/promises';
import { parseHookSettings } from './parse-hook-settings.ts';
import type { HookTable, ParseOptions } from './parse-hook-settings.ts';
import type { HookSource } from './types.ts';

/** Read once. A file that cannot be read registers nothing, and says so. Throws as `parseHookSettings` does. */
export async function loadHookSettings(source: HookSource, options: ParseOptions): Promise<HookTable> {
  if ('settings' in source) return parseHookSettings(source.settings, options);
  let settings: unknown;
  try {
    settings = JSON.parse(await readFile(source.configPath, 'utf8'));
  } catch (error) {
    options.warn(`${source.configPath} could not be read (${String(error)}); no hook is registered`);
    return new Map();
  }
  return parseHookSettings(settings, options);
}
