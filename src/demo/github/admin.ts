import { addFork, addRepository, type NewRepository } from './add-repository.ts';
import { addArtifact, finishWorkflowRun, type FinishedRun } from './changes/workflow-runs.ts';
import { fullNameOf, type Hub } from './hub.ts';
import { install } from './installations.ts';
import type { RepositoryName } from './people.ts';
import type { Account, App, Artifact, Association, Repository, Role, WorkflowRun } from './records.ts';

export interface Grant {
  role: Role;
  /** The name of a custom role. */
  roleName?: string;
  /** What payloads say of them; a private member of an organization reads as `CONTRIBUTOR` or `NONE`. */
  association?: Association;
}

/** What owners and operators set up; none of it sends an event, a finished CI run aside. */
export function adminOf(hub: Hub, ci: App, find: (name: RepositoryName) => Repository) {
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
    /** A CI run that ends, with its check runs, suite and logs. */
    finishWorkflowRun(name: RepositoryName, run: FinishedRun & { by?: string }): Promise<WorkflowRun> {
      return finishWorkflowRun(hub, find(name), ci, hub.account(run.by ?? find(name).owner.login), run);
    },
    addArtifact(name: RepositoryName, artifactName: string, zip: Buffer, runId: number | null = null): Artifact {
      return addArtifact(hub, find(name), artifactName, zip, runId);
    },
  };
}
