import type { Payload } from './payload.ts';
import type { Actor, EventRepository, IgnoreReason, Reading } from './reading.ts';

export function ignore(why: IgnoreReason): Reading {
  return { kind: 'ignore', why };
}

export function toRepo(repository: Payload<'issues'>['repository']): EventRepository {
  return {
    id: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    private: repository.private,
    defaultBranch: repository.default_branch,
  };
}

export function toActor(user: { id: number; login: string }, association: string): Actor {
  return { id: user.id, login: user.login, association };
}
