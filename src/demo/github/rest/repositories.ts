import { hasRole, mayPush, roleOf } from '../access.ts';
import type { Actor, Repository, Role } from '../records.ts';
import { notForIntegration, notFound, Refusal, requiresAuthentication } from '../refusal.ts';
import { ok, repositoryRoute, serverRoute, type Route } from './route.ts';
import { accountView, profileView } from '../views/account.ts';
import { fullRepositoryView } from '../views/repository.ts';

const basePermission: Record<Role, string> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
};

export const repositoryRoutes: Route[] = [
  repositoryRoute('GET ', { app: 'metadata:read' }, ({ hub, repository, actor }) =>
    ok({ ...fullRepositoryView(hub, repository), permissions: permissionsOf(repository, actor) }),
  ),
  repositoryRoute(
    'GET /collaborators/{username}/permission',
    { app: 'metadata:read' },
    ({ hub, repository, params, actor }) => {
      if (actor.kind === 'anonymous') throw requiresAuthentication();
      if (actor.kind === 'person' && !mayPush(repository, actor.account)) {
        throw new Refusal(403, 'Must have push access to view collaborator permission.');
      }
      const account = hub.findAccount(params.username!);
      if (!account || account.type !== 'User') throw new Refusal(404, `${params.username} is not a user`);
      const grant = grantOf(repository, account.login, roleOf(repository, account));
      return ok({ ...grant, user: { ...accountView(hub, account), role_name: grant.role_name } });
    },
  ),
  serverRoute('GET /user', ({ hub, actor }) => {
    if (actor.kind === 'anonymous') throw requiresAuthentication();
    if (actor.kind !== 'person') throw notForIntegration();
    return ok(profileView(hub, actor.account));
  }),
  serverRoute('GET /users/{username}', ({ hub, params }) => {
    const account = hub.findAccount(params.username!);
    if (!account) throw notFound();
    return ok(profileView(hub, account));
  }),
  serverRoute('GET /rate_limit', ({ hub }) => {
    const core = { limit: 5000, used: 0, remaining: 5000, reset: Math.floor(hub.now().getTime() / 1000) + 3600 };
    return ok({ resources: { core, search: { ...core, limit: 30, remaining: 30 }, graphql: core }, rate: core });
  }),
  serverRoute('GET /meta', ({ hub }) =>
    ok({ verifiable_password_authentication: false, installed_version: '3.19.0', domains: { website: [hub.url] } }),
  ),
];

/** Of a person's token; an app's are in its token alone. */
function permissionsOf(repository: Repository, actor: Actor) {
  const has = (role: Role) => actor.kind === 'person' && hasRole(repository, actor.account, role);
  return {
    admin: has('admin'),
    maintain: has('maintain'),
    push: has('write'),
    triage: has('triage'),
    pull: has('read'),
  };
}

function grantOf(repository: Repository, login: string, role: Role | undefined) {
  if (!role) return { permission: 'none', role_name: 'none' };
  const named = repository.roles.get(login.toLowerCase())?.roleName;
  return { permission: basePermission[role], role_name: named ?? role };
}
