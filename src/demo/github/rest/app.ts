import { mintInstallationToken, type TokenWish } from '../changes/tokens.ts';
import type { Hub } from '../hub.ts';
import type { Actor, Installation, Token } from '../records.ts';
import { badCredentials, notFound, Refusal } from '../refusal.ts';
import { countedPage, page } from './paginate.ts';
import { created, noContent, ok, serverRoute, type Call, type Handle, type Route } from './route.ts';
import { appView, installationView } from '../views/account.ts';
import { repositoryView } from '../views/repository.ts';
import { timestamp } from '../views/timestamp.ts';

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

function tokenView(hub: Hub, { value, actor, issuedAt }: Token) {
  const { permissions, repositoryIds } = actor as Extract<Actor, { kind: 'app' }>;
  const repositories = hub.repositories.filter(({ id }) => repositoryIds?.has(id));
  return {
    token: value,
    expires_at: timestamp(new Date(issuedAt.getTime() + hub.faults.tokenLifetimeMs)),
    permissions,
    repository_selection: repositoryIds ? 'selected' : 'all',
    ...(repositoryIds ? { repositories: repositories.map((repository) => repositoryView(hub, repository)) } : {}),
  };
}
