import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { findPackageRoot } from '../package-root.ts';

const Manifest = z.object({
  default_permissions: z.record(z.string(), z.string()),
  default_events: z.array(z.string()),
});

/** What an App is registered with, by GitHub's names. */
export interface AppRights {
  readonly permissions: Readonly<Record<string, string | undefined>>;
  readonly events: readonly string[];
}

/** What the manifest asks for. */
export function neededRights(): AppRights {
  const manifest = Manifest.parse(parse(readFileSync(join(findPackageRoot(), 'app.yml'), 'utf8')));
  return { permissions: manifest.default_permissions, events: manifest.default_events };
}

const LEVELS = [undefined, 'read', 'write', 'admin'];

/** What is needed and not there, in words. Pure. */
export function missingRights(needed: AppRights, given: AppRights): string[] {
  const rank = (level: string | undefined) => LEVELS.indexOf(level);
  const permissions = Object.entries(needed.permissions)
    .filter(([name, level]) => rank(given.permissions[name]) < rank(level))
    .map(([name, level]) => `permission ${name}: ${level}`);
  const events = needed.events.filter((name) => !given.events.includes(name)).map((name) => `event ${name}`);
  return [...permissions, ...events];
}
