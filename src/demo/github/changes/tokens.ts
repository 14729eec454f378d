import { randomBytes } from 'node:crypto';
import { hasPermission } from '../access.ts';
import type { Hub } from '../hub.ts';
import type { Actor, App, Installation, Permissions, Token } from '../records.ts';
import { unprocessable } from '../refusal.ts';

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
