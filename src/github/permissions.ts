import type { GitHub } from './client.ts';
import { systemClock, type Clock } from './clock.ts';
import { fullName, type RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

/** From least to most. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** `could-not-check` is not `none`: the caller refuses all the same, and says that GitHub did not answer. */
export type PermissionAnswer = { kind: 'known'; permission: Permission } | { kind: 'could-not-check'; why: string };

export type PermissionLookup = (repo: RepoRef, login: string, signal?: AbortSignal) => Promise<PermissionAnswer>;

const CACHE_MS = 60_000;
const MAX_CACHED = 1_000;
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1_000;

export function atLeast(permission: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(needed);
}

/** Asks GitHub what a person may do. Answers are kept 60 s; a failed look-up is not kept. */
export function createPermissionLookup(github: GitHub, clock: Clock = systemClock): PermissionLookup {
  const known = new Map<string, { until: number; answer: PermissionAnswer }>();

  return async (repo, login, signal) => {
    const key = `${fullName(repo)} ${login}`.toLowerCase();
    const hit = known.get(key);
    if (hit && hit.until > clock.now().getTime()) return hit.answer;

    // Counted from before the question: the answer may be as old as that.
    const until = clock.now().getTime() + CACHE_MS;
    const answer = await ask(github, clock, repo, login, signal);
    known.delete(key);
    if (answer.kind === 'known') known.set(key, { until, answer });
    if (known.size > MAX_CACHED) known.delete(known.keys().next().value!);
    return answer;
  };
}

async function ask(
  github: GitHub,
  clock: Clock,
  repo: RepoRef,
  login: string,
  signal?: AbortSignal,
): Promise<PermissionAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { data } = await github.rest.repos.getCollaboratorPermissionLevel({
        ...repo,
        username: login,
        request: { signal },
      });
      return { kind: 'known', permission: readPermission(data) };
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return { kind: 'known', permission: 'none' };
      if (status === undefined || signal?.aborted) throw error;
      if (isHidden(error)) return { kind: 'could-not-check', why: MAY_NOT_LOOK };
      if (attempt === MAX_ATTEMPTS) return { kind: 'could-not-check', why: `GitHub answered ${status}` };
      await clock.sleep(RETRY_DELAY_MS * attempt, signal);
    }
  }
}

/** GitHub tells permissions only to accounts that may push. https://docs.github.com/rest/collaborators/collaborators */
export const MAY_NOT_LOOK = 'the account that asks may not push, so GitHub tells it no permissions';

function isHidden(error: unknown): boolean {
  return statusOf(error) === 403 && /must have push access/i.test(String((error as Error).message));
}

/** The base `permission` decides. Custom roles have names of their own, so `role_name` only tells two pairs apart. */
export function readPermission(data: { permission: string; role_name?: string }): Permission {
  const { permission, role_name: role } = data;
  if (permission === 'write' && role === 'maintain') return 'maintain';
  if (permission === 'read' && role === 'triage') return 'triage';
  return permission === 'admin' || permission === 'write' || permission === 'read' ? permission : 'none';
}
