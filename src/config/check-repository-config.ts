import { DshError } from '../errors.ts';
import { PERMISSIONS } from './config-file.ts';
import type { ApprovalRule, ConfigFile } from './config-file.ts';
import type { Config } from './config.ts';

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
  if (file.approval?.rules && (operator.approval.rules.length > 0 || file.approval.rules.some(allows)))
    keys.push('approval.rules');
  if (file.approval?.fourEyes === false && operator.approval.fourEyes) keys.push('approval.fourEyes');
  if ((file.approval?.timeoutMs ?? 0) > operator.approval.timeoutMs) keys.push('approval.timeoutMs');
  if (file.hooks) keys.push('hooks');
  if (file.skills) keys.push('skills');
  if (file.checkout?.submodules?.length) keys.push('checkout.submodules');
  for (const key of ['worker', 'shutdown', 'retention'] as const) if (file[key]) keys.push(key);
  if (file.modelBaseUrl) keys.push('modelBaseUrl');
  if (file.allowBots?.length) keys.push('allowBots');
  if ((file.workingWindow ?? 0) > operator.workingWindow) keys.push('workingWindow');
  if ((file.maxBotTurns ?? 0) > operator.maxBotTurns) keys.push('maxBotTurns');
  if ((file.goal?.maxRounds ?? 0) > operator.goal.maxRounds) keys.push('goal.maxRounds');
  if ((file.review?.passes ?? 0) > operator.review.passes) keys.push('review.passes');
  for (const key of ['image', 'runtime', 'allowedEnv'] as const) if (file.sandbox?.[key]) keys.push(`sandbox.${key}`);
  for (const key of ['memoryMb', 'cpus', 'pids', 'growthMb'] as const) {
    if ((file.sandbox?.[key] ?? 0) > operator.sandbox[key]) keys.push(`sandbox.${key}`);
  }
  if (file.network === 'allow-list' && operator.network === 'none') keys.push('network');
  if (file.networkBound && isWider(file.networkBound, operator.networkBound)) keys.push('networkBound');
  if (file.networkHosts?.some((host) => !isCovered(host, operator.networkHosts))) keys.push('networkHosts');
  for (const key of ['run', 'ask', 'approve'] as const) {
    if (rank(file.permissions?.[key] ?? operator.permissions[key]) < rank(operator.permissions[key])) {
      keys.push(`permissions.${key}`);
    }
  }
  for (const key of ['steps', 'cost', 'tokens', 'minutes'] as const) {
    if ((file.budget?.turn?.[key] ?? 0) > operator.budget.turn[key]) keys.push(`budget.turn.${key}`);
  }
  for (const key of ['person', 'repository'] as const) {
    if ((file.budget?.day?.[key] ?? 0) > operator.budget.day[key]) keys.push(`budget.day.${key}`);
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

function isWider(a: Config['networkBound'], b: Config['networkBound']): boolean {
  const narrowestFirst = ['none', 'allow-list', 'full'];
  return narrowestFirst.indexOf(a) > narrowestFirst.indexOf(b);
}

function allows({ then }: ApprovalRule): boolean {
  return then === 'allow';
}

/** `anyone` ranks below every permission. */
function rank(permission: string): number {
  return (PERMISSIONS as readonly string[]).indexOf(permission);
}
