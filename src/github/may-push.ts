import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

/** Whether this token may push to a repository, such as a fork; one that it cannot see counts as no. */
export async function mayPush(github: GitHub, repo: RepoRef, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await github.rest.repos.get({ ...repo, request: { signal } })).data.permissions?.push ?? false;
  } catch (error) {
    if (statusOf(error) === undefined) throw error;
    return false;
  }
}
