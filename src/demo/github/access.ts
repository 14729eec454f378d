import { accountOf, type Hub } from './hub.ts';
import type { Account, Actor, Repository, Role } from './records.ts';
import { notForIntegration, notFound, Refusal, requiresAuthentication } from './refusal.ts';
import type { Access } from './rest/route.ts';

const rank: Record<Role, number> = { read: 1, triage: 2, write: 3, maintain: 4, admin: 5 };

/** The role a person has on a repository; everyone reads a public one. */
export function roleOf(repository: Repository, account: Account | undefined): Role | undefined {
  const granted = account && repository.roles.get(account.login.toLowerCase())?.role;
  if (account && account === repository.owner) return 'admin';
  return granted ?? (repository.private ? undefined : 'read');
}

/** Whether `actor` may know that the repository is there. */
export function maySee(repository: Repository, actor: Actor): boolean {
  if (!repository.private) return true;
  if (actor.kind === 'app') return isInstalledOn(repository, actor);
  return actor.kind === 'person' && roleOf(repository, actor.account) !== undefined;
}

/** Lets a call through or throws GitHub's refusal; gives the account it acts as. */
export function authorize(hub: Hub, repository: Repository, actor: Actor, access: Access, writes: boolean): Account {
  if (actor.kind === 'app-jwt') throw new Refusal(401, 'A JSON web token could not be decoded');
  if (!maySee(repository, actor)) throw notFound();
  if (repository.disabled) throw new Refusal(403, 'Repository access blocked');
  if (writes && actor.kind === 'anonymous') throw requiresAuthentication();
  if (actor.kind === 'app') checkApp(repository, actor, access.app ?? 'none:write');
  if (actor.kind === 'person') checkPerson(repository, actor.account, access.person ?? 'read');
  if (writes && repository.archived) throw new Refusal(403, 'Repository was archived so is read-only.');
  return accountOf(actor) ?? hub.account('ghost');
}

/** Whether an app's token carries one of `contents|issues:write`. */
export function hasPermission(permissions: Record<string, string>, wanted: string): boolean {
  const [names = '', level] = wanted.split(':');
  return names.split('|').some((name) => permissions[name] === 'write' || permissions[name] === level);
}

export const mayPush = (repository: Repository, account: Account) => hasRole(repository, account, 'write');

export function hasRole(repository: Repository, account: Account, wanted: Role): boolean {
  const role = roleOf(repository, account);
  return role !== undefined && rank[role] >= rank[wanted];
}

export function isInstalledOn(repository: Repository, actor: Extract<Actor, { kind: 'app' }>): boolean {
  if (actor.ownerId !== repository.owner.id) return false;
  return actor.repositoryIds === undefined || actor.repositoryIds.has(repository.id);
}

function checkApp(repository: Repository, actor: Extract<Actor, { kind: 'app' }>, wanted: string): void {
  const readsPublic = !repository.private && wanted.endsWith(':read');
  if (readsPublic) return;
  if (!isInstalledOn(repository, actor) || !hasPermission(actor.permissions, wanted)) throw notForIntegration();
}

function checkPerson(repository: Repository, account: Account, wanted: Role): void {
  if (!hasRole(repository, account, wanted)) throw new Refusal(403, 'Resource not accessible by personal access token');
}
