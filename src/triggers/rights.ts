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

/** The one place that says who may write which command. Pure. */
export function mayCommand(command: Pick<Command, 'name' | 'text'>, claim: Claim, config: Rights): boolean {
  return has(rightOf(command, claim), claim, config);
}

/** Whether somebody may settle what people are asked. */
export function mayApprove(claim: Pick<Claim, 'permission' | 'actor'>, config: Rights): boolean {
  return has('approve', { ...claim, startedBy: undefined }, config);
}

/** To raise a budget is to decide over money; to look at it is not. Without a running turn, `say` starts one. */
function rightOf({ name, text }: Pick<Command, 'name' | 'text'>, { startedBy }: Claim): Right {
  if (name === 'budget') return text === '' ? 'run' : 'approve';
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
