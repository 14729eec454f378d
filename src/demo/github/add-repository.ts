import { join } from 'node:path';
import { makeBareRepository } from './git/bare-repository.ts';
import { importCommit, type FileChange } from './git/import-commit.ts';
import type { Hub } from './hub.ts';
import { identityOf } from './identity.ts';
import type { Repository } from './records.ts';

export interface NewRepository {
  owner: string;
  name: string;
  /** The first commit on the default branch. Neither this nor `from` leaves the repository empty. */
  files?: Record<string, FileChange>;
  /** A git bundle or repository on disk to take all branches and tags of. */
  from?: string;
  private?: boolean;
  defaultBranch?: string;
  description?: string;
  /** `Organization` makes the owner one. */
  ownerType?: 'User' | 'Organization';
}

/** Makes a repository with its bare git repository; the app gets installed for a new owner. */
export async function addRepository(hub: Hub, options: NewRepository): Promise<Repository> {
  const { defaultBranch = 'main', files, from } = options;
  const repository = newRecord(hub, options, defaultBranch);
  const git = await makeBareRepository(repository.gitDir, defaultBranch, hub.hooksDir);
  if (from) await git.run(['fetch', '--quiet', from, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']);
  if (files) {
    const author = identityOf(hub, repository.owner);
    await importCommit(git, { branch: defaultBranch, message: 'Initial commit', files, ...author, date: hub.now() });
  }
  hub.repositories.push(repository);
  return repository;
}

/** A fork: the same branches, and pull requests may come from it. */
export async function addFork(hub: Hub, parent: Repository, owner: string): Promise<Repository> {
  const { name, defaultBranch } = parent;
  const fork = await addRepository(hub, { owner, name, private: parent.private, defaultBranch, from: parent.gitDir });
  return Object.assign(fork, { fork: true, parent });
}

function newRecord(hub: Hub, options: NewRepository, defaultBranch: string): Repository {
  const owner = hub.account(options.owner);
  if (options.ownerType) owner.type = options.ownerType;
  const id = hub.nextId();
  const now = hub.now();
  return {
    id,
    name: options.name,
    owner,
    gitDir: join(hub.root, `${id}.git`),
    private: options.private ?? false,
    archived: false,
    disabled: false,
    fork: false,
    parent: null,
    defaultBranch,
    description: options.description ?? null,
    sizeKb: 1,
    formerNames: [],
    roles: new Map(),
    associations: new Map(),
    labels: [],
    nextNumber: 1,
    issues: new Map(),
    verified: new Set<string>(),
    protectedBranches: new Set<string>(),
    checkSuites: [],
    checkRuns: [],
    workflowRuns: [],
    artifacts: [],
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
  };
}
