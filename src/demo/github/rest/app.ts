import { randomBytes } from 'node:crypto';
import type { Hub } from '../hub.ts';
import { hasPermission } from '../access.ts';
import type { Actor, App, Installation, Permissions, Token } from '../records.ts';
import { badCredentials, notFound, Refusal, unprocessable } from '../refusal.ts';
import { appView, installationView } from '../views/account.ts';
import { repositoryView } from '../views/repository.ts';
import { timestamp } from '../views/timestamp.ts';
import { countedPage, page } from './paginate.ts';
import { created, noContent, ok, serverRoute, type Call, type Handle, type Route } from './route.ts';

export interface TokenWish {
  permissions?: Permissions | undefined;
  repositories?: string[] | undefined;
  repositoryIds?: number[] | undefined;
}

/** A token of an installation, narrowed as wished. Wishing for more than was granted is a 422. */
export function mintInstallationToken(hub: Hub, app: App, installation: Installation, wish: TokenWish): Token {
  for (const [name, level] of Object.entries(wish.permissions ?? {})) {
    if (!hasPermission(installation.permissions, `${name}:${level}`)) {
      throw unprocessable('The permissions requested are not granted to this installation.');
    }
  }
  const permissions = { ...(wish.permissions ?? installation.permissions), metadata: 'read' as const };
  const repositoryIds = narrowRepositories(hub, installation, wish);
  const actor: Actor = {
    kind: 'app',
    app,
    account: app.bot,
    permissions,
    ownerId: installation.account.id,
    ...(repositoryIds && { repositoryIds }),
  };
  return storeToken(hub, 'ghs', actor, true);
}

export function storeToken(hub: Hub, prefix: string, actor: Actor, expires: boolean): Token {
  const token = {
    value: `${prefix}_${randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')}`,
    actor,
    issuedAt: hub.now(),
    expires,
  };
  hub.tokens.set(token.value, token);
  return token;
}

/** Wraps a handler for calls that need the app's own JWT. */
export const asApp =
  (handle: Handle<Call>): Handle<Call> =>
  (call) => {
    if (call.actor.kind !== 'app-jwt') throw new Refusal(401, 'A JSON web token could not be decoded');
    return handle(call);
  };

export const appRoutes: Route[] = [
  serverRoute(
    'GET /app',
    asApp(({ hub }) => ok(appView(hub, hub.app))),
  ),
  serverRoute(
    'GET /app/installations',
    asApp((call) => page(call, call.hub.installations, (one) => installationView(call.hub, one))),
  ),
  serverRoute(
    'GET /app/installations/{installation_id}',
    asApp((call) => ok(installationView(call.hub, installationOf(call)))),
  ),
  serverRoute('GET /apps/{app_slug}', ({ hub, params }) => {
    if (params.app_slug !== hub.app.slug) throw notFound();
    return ok(appView(hub, hub.app));
  }),
  serverRoute(
    'GET /repos/{owner}/{repo}/installation',
    asApp(({ hub, params }) => {
      const repository = hub.findRepository(`${params.owner}/${params.repo}`);
      const installation = repository && hub.installationOf(repository);
      if (!installation) throw notFound();
      return ok(installationView(hub, installation));
    }),
  ),
  serverRoute(
    'POST /app/installations/{installation_id}/access_tokens',
    asApp((call) => {
      const installation = installationOf(call);
      if (installation.suspendedAt) throw new Refusal(403, 'This installation has been suspended');
      const {
        permissions,
        repositories,
        repository_ids: repositoryIds,
      } = call.body as TokenWish & { repository_ids?: number[] };
      return created(
        tokenView(
          call.hub,
          mintInstallationToken(call.hub, call.hub.app, installation, { permissions, repositories, repositoryIds }),
        ),
      );
    }),
  ),
  serverRoute('GET /installation/repositories', (call) => {
    const { actor, hub } = call;
    if (actor.kind !== 'app') throw badCredentials();
    const mine = hub.repositories.filter(
      ({ id, owner }) => owner.id === actor.ownerId && (actor.repositoryIds?.has(id) ?? true),
    );
    return countedPage(call, 'repositories', mine, (repository) => repositoryView(hub, repository));
  }),
  serverRoute('DELETE /installation/token', ({ hub, headers }) => {
    const value = String(headers.authorization ?? '').split(/\s+/)[1] ?? '';
    if (!hub.tokens.delete(value)) throw badCredentials();
    return noContent();
  }),
];

function installationOf({ hub, params }: Call): Installation {
  const installation = hub.installations.find(({ id }) => id === Number(params.installation_id));
  if (!installation) throw notFound();
  return installation;
}

function narrowRepositories(
  hub: Hub,
  { account }: Installation,
  { repositories, repositoryIds }: TokenWish,
): Set<number> | undefined {
  if (!repositories && !repositoryIds) return undefined;
  const wanted = [...(repositories ?? []), ...(repositoryIds ?? [])].map((given) => {
    const found = hub.repositories.find(
      ({ id, name, owner }) =>
        owner === account && (id === given || name.toLowerCase() === String(given).toLowerCase()),
    );
    if (!found)
      throw unprocessable(
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      );
    return found.id;
  });
  return new Set(wanted);
}

function tokenView(hub: Hub, { value, actor, issuedAt }: Token) {
  const { permissions, repositoryIds } = actor as Extract<Actor, { kind: 'app' }>;
  const repositories = hub.repositories.filter(({ id }) => repositoryIds?.has(id));
  return {
    ...{ token: value, expires_at: timestamp(new Date(issuedAt.getTime() + hub.faults.tokenLifetimeMs)), permissions },
    ...{ repository_selection: repositoryIds ? 'selected' : 'all' },
    ...(repositoryIds ? { repositories: repositories.map((repository) => repositoryView(hub, repository)) } : {}),
  };
}
