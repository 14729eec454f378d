import { SessionId } from '../harness/session/types.ts';
import type { Payload } from './payload.ts';
import type { Actor, EventRepository, IgnoreReason, Reading } from './reading.ts';
import type { TriggerConfig } from './trigger-config.ts';

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

export function toActor(user: { id: number; login: string; type?: string }, association: string): Actor {
  return { id: user.id, login: user.login, association, ...(user.type === 'Bot' && { isBot: true }) };
}

interface Times {
  readonly created_at?: string | null | undefined;
  readonly updated_at?: string | null | undefined;
  readonly submitted_at?: string | null | undefined;
}

/** When a comment was written first. */
export function createdAt({ submitted_at: submitted, created_at: created }: Times): { createdAt?: number } {
  const at = Date.parse(submitted ?? created ?? '');
  return Number.isNaN(at) ? {} : { createdAt: at };
}

/** When what a comment says now was said; a review tells no time of its edits. */
export function saidAt(times: Times): { saidAt?: number } {
  const at = Date.parse(times.updated_at ?? times.created_at ?? '');
  return Number.isNaN(at) ? {} : { saidAt: at };
}

/** Whether a login is that of our own bot user; GitHub's logins know no case. */
export function isOurself(login: string | undefined, { self }: Pick<TriggerConfig, 'self'>): boolean {
  return Boolean(login && self.botLogin && login.toLowerCase() === self.botLogin.toLowerCase());
}

/** What the marker in a pull request's body says, believed only where our own bot opened it, and of this repository (T9). */
export function markedSession(
  pull: { readonly body?: string | null; readonly user: { readonly login: string } },
  repositoryId: number,
  config: Pick<TriggerConfig, 'self'>,
): { markedSession?: SessionId } {
  if (!isOurself(pull.user.login, config)) return {};
  const id = /<!-- dsh:session (gh-(\d+)-\d+-\d+) -->/.exec(pull.body ?? '');
  return id?.[1] && Number(id[2]) === repositoryId ? { markedSession: SessionId(id[1]) } : {};
}
