import { DshError } from '../errors.ts';
import { PERMISSIONS } from './config.ts';
import type { Config, ConfigFile } from './config.ts';

/**
 * A repository may narrow everything and widen nothing, unless the operator's `allow` names the key: a model endpoint it
 * chose would receive the operator's key, an image or a budget it chose would be the operator's cost.
 * Throws `CONFIG_NOT_ALLOWED` that names the keys.
 */
export function checkRepositoryConfig(file: ConfigFile, operator: Config, allow: readonly string[]): void {
  const refused = wideningKeys(file, operator).filter((key) => !allow.includes(key));
  if (refused.length === 0) return;
  throw new DshError(
    `.github/dsh.yml may not set ${refused.join(', ')} here.`,
    'CONFIG_NOT_ALLOWED',
    'Remove the keys, or ask whoever runs the bot to name them under `allow` in the operator configuration.',
  );
}

function wideningKeys(file: ConfigFile, operator: Config): string[] {
  const keys: string[] = [];
  if (file.allow) keys.push('allow');
  if (file.hooks) keys.push('hooks');
  if (file.modelBaseUrl) keys.push('modelBaseUrl');
  if (file.allowBots?.length) keys.push('allowBots');
  if (file.sandbox?.image) keys.push('sandbox.image');
  for (const key of ['memoryMb', 'cpus', 'pids'] as const) {
    if ((file.sandbox?.[key] ?? 0) > operator.sandbox[key]) keys.push(`sandbox.${key}`);
  }
  if (file.network === 'allow-list' && operator.network === 'none') keys.push('network');
  if (file.networkHosts?.some((host) => !isCovered(host, operator.networkHosts))) keys.push('networkHosts');
  for (const key of ['run', 'ask'] as const) {
    if (rank(file.permissions?.[key] ?? operator.permissions[key]) < rank(operator.permissions[key])) {
      keys.push(`permissions.${key}`);
    }
  }
  for (const key of ['steps', 'cost', 'tokens', 'minutes'] as const) {
    if ((file.budget?.turn?.[key] ?? 0) > operator.budget.turn[key]) keys.push(`budget.turn.${key}`);
  }
  return keys;
}

/** Whether all that an entry lets through, another one does; both may be `*.` and a name. */
function isCovered(host: string, hosts: readonly string[]): boolean {
  const entry = host.toLowerCase();
  return hosts
    .map((other) => other.toLowerCase())
    .some((other) => entry === other || (other.startsWith('*.') && entry.endsWith(other.slice(1))));
}

/** `anyone` ranks below every permission. */
function rank(permission: string): number {
  return (PERMISSIONS as readonly string[]).indexOf(permission);
}
