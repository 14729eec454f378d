import type { GitHub } from './client.ts';
import { repositoryUnavailable } from './errors.ts';
import { statusOf } from './request-hook.ts';

/** Names a repository the way every REST call does. */
export interface RepoRef {
  owner: string;
  repo: string;
}

export interface Repository extends RepoRef {
  id: number;
  /** HTTPS address for git, without credentials. */
  cloneUrl: string;
  defaultBranch: string;
  sizeMb: number;
  isPrivate: boolean;
  archived: boolean;
}

/**
 * Looks a repository up under its present name: renamed and transferred ones are followed. Throws
 * `REPOSITORY_UNAVAILABLE` for one that is gone, hidden, blocked or disabled.
 */
export async function readRepository(github: GitHub, ref: RepoRef, signal?: AbortSignal): Promise<Repository> {
  const { data } = await github.rest.repos.get({ ...ref, request: { signal } }).catch((cause: unknown) => {
    throw unavailable(ref, cause);
  });
  if (data.disabled) throw repositoryUnavailable(data.full_name, 'is disabled');
  return {
    id: data.id,
    owner: data.owner.login,
    repo: data.name,
    cloneUrl: data.clone_url,
    defaultBranch: data.default_branch,
    sizeMb: data.size / 1024,
    isPrivate: data.private,
    archived: data.archived ?? false,
  };
}

export function fullName({ owner, repo }: RepoRef): string {
  return `${owner}/${repo}`;
}

function unavailable(ref: RepoRef, cause: unknown): unknown {
  const status = statusOf(cause);
  if (status === 404) return repositoryUnavailable(fullName(ref), 'was not found', cause);
  if (status === 451) return repositoryUnavailable(fullName(ref), 'is blocked for legal reasons', cause);
  if (status === 403) return repositoryUnavailable(fullName(ref), 'may not be read with this token', cause);
  return cause;
}
