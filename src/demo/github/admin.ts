import { addFork, addRepository, type NewRepository } from './add-repository.ts';
import { mintInstallationToken, storeToken } from './changes/tokens.ts';
import { addArtifact, finishWorkflowRun, type FinishedRun } from './changes/workflow-runs.ts';
import { fullNameOf, type Hub } from './hub.ts';
import type { RepositoryName } from './people.ts';
import type {
  Account,
  App,
  Artifact,
  Association,
  Installation,
  Permissions,
  Repository,
  Role,
  WorkflowRun,
} from './records.ts';

export interface TokenOptions {
  permissions?: Permissions;
  repositories?: string[];
}

export type TokenHolder =
  string | ({ installation: string } & TokenOptions) | ({ actions: RepositoryName } & TokenOptions);

export interface Grant {
  role: Role;
  /** The name of a custom role. */
  roleName?: string;
  /** What payloads say of them; a private member of an organization reads as `CONTRIBUTOR` or `NONE`. */
  association?: Association;
}

const actionsPermissions: Permissions = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'write',
};

/** What owners and operators set up; none of it sends an event, a finished CI run aside. */
export function adminOf(hub: Hub, find: (name: RepositoryName) => Repository) {
  const ci = actionsApp(hub);
  return {
    addUser(login: string, { name = null, type }: { name?: string | null; type?: Account['type'] } = {}): Account {
      return Object.assign(hub.account(login), { name, ...(type && { type }) });
    },
    /** The account is gone: what it wrote stays, by `ghost`. */
    deleteUser(login: string): void {
      const account = hub.account(login);
      hub.accounts.delete(login.toLowerCase());
      Object.assign(account, { id: 10_137, login: 'ghost', name: null });
    },
    async addRepository(options: NewRepository): Promise<Repository> {
      const repository = await addRepository(hub, options);
      install(hub, repository.owner);
      return repository;
    },
    /** A fork of `name`; the app is not installed for its owner unless something else had it installed. */
    addFork: (name: RepositoryName, owner: string): Promise<Repository> => addFork(hub, find(name), owner),
    addCollaborator(name: RepositoryName, login: string, grant: Role | Grant): void {
      const { role, roleName, association }: Grant = typeof grant === 'string' ? { role: grant } : grant;
      const key = hub.account(login).login.toLowerCase();
      find(name).roles.set(key, { role, roleName: roleName ?? role });
      if (association) find(name).associations.set(key, association);
    },
    protectBranch: (name: RepositoryName, branch: string): unknown => find(name).protectedBranches.add(branch),
    renameRepository(name: RepositoryName, newName: string): void {
      const repository = find(name);
      repository.formerNames.push(fullNameOf(repository));
      repository.name = newName;
    },
    /** The repository is gone; pull requests from it keep only `refs/pull/N/head`. */
    deleteRepository(name: RepositoryName): void {
      const gone = find(name);
      hub.repositories.splice(hub.repositories.indexOf(gone), 1);
      for (const issue of hub.repositories.flatMap(({ issues }) => [...issues.values()])) {
        if (issue.pull?.head.repository === gone) issue.pull.head.repository = null;
      }
    },
    installationOf: (owner: string): Installation | undefined =>
      hub.installations.find(({ account }) => account.login === owner),
    suspendInstallation(owner: string, suspended = true): void {
      const installation = hub.installations.find(({ account }) => account.login === owner);
      if (installation) installation.suspendedAt = suspended ? hub.now() : null;
    },
    /** Takes the app away from an owner; its tokens stop working. */
    uninstall(owner: string): void {
      const at = hub.installations.findIndex(({ account }) => account.login === owner);
      const [gone] = hub.installations.splice(at, 1);
      for (const [value, { actor }] of hub.tokens)
        if (actor.kind === 'app' && actor.ownerId === gone?.account.id) hub.tokens.delete(value);
    },
    /** A token of a person (login), of the app's installation for an owner, or of an Action run in a repository. */
    createToken(holder: TokenHolder): string {
      if (typeof holder === 'string')
        return storeToken(hub, 'ghp', { kind: 'person', account: hub.account(holder) }, false).value;
      if ('installation' in holder)
        return mintInstallationToken(hub, hub.app, install(hub, hub.account(holder.installation)), holder).value;
      const { id, owner } = find(holder.actions);
      const permissions = { metadata: 'read' as const, ...(holder.permissions ?? actionsPermissions) };
      return storeToken(
        hub,
        'ghs',
        { kind: 'app', app: ci, account: ci.bot, permissions, ownerId: owner.id, repositoryIds: new Set([id]) },
        true,
      ).value;
    },
    /** A CI run that ends, with its check runs, suite and logs. */
    finishWorkflowRun(name: RepositoryName, run: FinishedRun & { by?: string }): Promise<WorkflowRun> {
      return finishWorkflowRun(hub, find(name), ci, hub.account(run.by ?? find(name).owner.login), run);
    },
    addArtifact(name: RepositoryName, artifactName: string, zip: Buffer, runId: number | null = null): Artifact {
      return addArtifact(hub, find(name), artifactName, zip, runId);
    },
  };
}

function install(hub: Hub, account: Account): Installation {
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

function actionsApp(hub: Hub): App {
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
