import { PERMISSIONS } from '../config/config-file.ts';
import type { Permission } from '../config/config-file.ts';
import type { Config } from '../config/config.ts';
import { COMMANDS } from './command-table.ts';
import type { Right } from './command-table.ts';
import type { Command } from './parse-commands.ts';
import type { Actor } from './reading.ts';

/** What the permission look-up said; `could-not-check` is a fault of GitHub's, and fails closed. */
export type PermissionFact = Permission | 'none' | 'could-not-check';

export interface Claim {
  readonly permission: PermissionFact;
  readonly actor: Pick<Actor, 'id' | 'isBot'>;
  /** Who started the turn that runs. */
  readonly startedBy: { readonly id: number } | undefined;
}

type Rights = Pick<Config, 'permissions'>;
type Wanted = Pick<Command, 'name' | 'text'> & Partial<Pick<Command, 'flags'>>;

/** The one place that says who may write which command. Pure. */
export function mayCommand(command: Wanted, claim: Claim, config: Rights): boolean {
  return has(rightOf(command, claim), claim, config);
}

/** Whether somebody may settle what people are asked. */
export function mayApprove(claim: Pick<Claim, 'permission' | 'actor'>, config: Rights): boolean {
  return has('approve', { ...claim, startedBy: undefined }, config);
}

/**
 * To raise a budget is to decide over money, and so is to let a goal go on by itself; to look at either is not. Without a
 * running turn, `say` starts one.
 */
function rightOf({ name, text, flags }: Wanted, { startedBy }: Claim): Right {
  if (name === 'budget') return text === '' ? 'run' : 'approve';
  if (name === 'goal' && flags && 'runs' in flags) return 'approve';
  if (name === 'say' && !startedBy) return 'ask';
  return COMMANDS[name].right;
}

/** An allowed bot has the right to run and to ask, whatever GitHub says of it, and no other (T7). */
function has(right: Right, { permission, actor, startedBy }: Claim, { permissions }: Rights): boolean {
  if (actor.isBot) return right === 'run' || right === 'ask';
  switch (right) {
    case 'run':
      return atLeast(permission, permissions.run);
    case 'ask':
      return permissions.ask === 'anyone' || atLeast(permission, permissions.ask);
    case 'approve':
      return atLeast(permission, permissions.approve);
    case 'disturb':
      return startedBy?.id === actor.id || atLeast(permission, 'write');
  }
}

export function atLeast(permission: PermissionFact, needed: Permission): boolean {
  return (PERMISSIONS as readonly string[]).indexOf(permission) >= PERMISSIONS.indexOf(needed);
}
