import { mintInstallationToken, storeToken } from './changes/tokens.ts';
import type { Hub } from './hub.ts';
import type { RepositoryName } from './people.ts';
import { runtimeToken } from './results-service.ts';
import type { Account, App, Installation, Permissions, Repository } from './records.ts';

export interface TokenOptions {
  permissions?: Permissions;
  repositories?: string[];
}

export type TokenHolder =
  string | ({ installation: string } & TokenOptions) | { actions: RepositoryName; permissions?: Permissions };

const actionsPermissions: Permissions = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'write',
};

/** Where the app is installed, and the tokens of everybody. */
export function installationsOf(hub: Hub, ci: App, find: (name: RepositoryName) => Repository) {
  const ofOwner = (owner: string): Installation | undefined =>
    hub.installations.find(({ account }) => account.login === owner);
  return {
    installationOf: ofOwner,
    suspendInstallation(owner: string, suspended = true): void {
      const installation = install(hub, hub.account(owner));
      installation.suspendedAt = suspended ? hub.now() : null;
      hub.webhooks.emitInstallation(suspended ? 'suspend' : 'unsuspend', installation);
    },
    /** Takes the app away from an owner; its tokens stop working. */
    uninstall(owner: string): void {
      const gone = install(hub, hub.account(owner));
      hub.installations.splice(hub.installations.indexOf(gone), 1);
      const dead = [...hub.tokens.values()].filter(
        ({ actor }) => actor.kind === 'app' && actor.ownerId === gone.account.id,
      );
      for (const { value } of dead) hub.tokens.delete(value);
      hub.webhooks.emitInstallation('deleted', gone);
    },
    /** What the runner of a job hands to it for artifacts; `of` is the repository its branch is in, a fork perhaps. */
    createRuntimeToken(name: RepositoryName, runId: number, of: RepositoryName = name): string {
      return runtimeToken(hub, { repository: find(name), runId, headRepositoryId: find(of).id });
    },
    /** A token of a person (login), of the app's installation for an owner, or of an Action run in a repository. */
    createToken(holder: TokenHolder): string {
      if (typeof holder === 'string')
        return storeToken(hub, 'ghp', { kind: 'person', account: hub.account(holder) }, false).value;
      if ('actions' in holder)
        return actionsToken(hub, ci, find(holder.actions), holder.permissions ?? actionsPermissions);
      return mintInstallationToken(hub, hub.app, install(hub, hub.account(holder.installation)), holder).value;
    },
  };
}

/** The app's installation for an owner, made when there is none. */
export function install(hub: Hub, account: Account): Installation {
  const known = hub.installations.find((installation) => installation.account === account);
  if (known) return known;
  const installation = {
    id: hub.nextId(),
    account,
    permissions: hub.app.permissions,
    createdAt: hub.now(),
    suspendedAt: null,
  };
  hub.installations.push(installation);
  return installation;
}

/** GitHub Actions, as the app it is. */
export function actionsApp(hub: Hub): App {
  const bot = Object.assign(hub.account('github-actions[bot]'), { id: 41_898_282 });
  const owner = hub.account('github');
  return {
    id: 15_368,
    slug: 'github-actions',
    name: 'GitHub Actions',
    bot,
    owner,
    permissions: actionsPermissions,
    events: [],
    createdAt: hub.now(),
  };
}

function actionsToken(hub: Hub, ci: App, { id, owner }: Repository, permissions: Permissions): string {
  const granted: Permissions = { metadata: 'read', ...permissions };
  const actor = {
    kind: 'app' as const,
    app: ci,
    account: ci.bot,
    permissions: granted,
    ownerId: owner.id,
    repositoryIds: new Set([id]),
  };
  return storeToken(hub, 'ghs', actor, true).value;
}
