import { PERMISSIONS } from '../../config/config-file.ts';
import type { Permission } from '../../config/config-file.ts';
import type { Config } from '../../config/config.ts';
import type { PermissionFact } from '../../triggers/rights.ts';
import type { JobRequest } from '../job/job.ts';
import type { Subject } from '../context/read-subject.ts';

/** What a turn may reach is decided by where its tree is from and who asked, before the model says anything (X4). */
export type Profile = 'trusted' | 'untrusted';

export interface ProfileFacts {
  /** What the one who asked may do; absent where nobody did, and the pull request's author is judged instead. */
  readonly asker?: PermissionFact;
  readonly run: Permission;
  /** Of the pull request that the tree holds. */
  readonly pull?: { readonly sameRepository: boolean; readonly author: PermissionFact };
}

export function profileOf({ asker, run, pull }: ProfileFacts): Profile {
  if (pull && !(pull.sameRepository && atLeast(pull.author, 'write'))) return 'untrusted';
  return asker === undefined ? (pull ? 'trusted' : 'untrusted') : atLeast(asker, run) ? 'trusted' : 'untrusted';
}

/** Looks the pull request's author up; who cannot be looked up has no permission. */
export async function lookUpProfile({ turn, access, config, signal }: JobRequest, subject: Subject): Promise<Profile> {
  const asker = turn.reading.kind === 'pull-request' ? {} : { asker: turn.permission };
  const pull = subject.pull && {
    sameRepository: subject.pull.sameRepository,
    author: await permissionOf(subject.thread.author.login),
  };
  return profileOf({ ...asker, run: config.permissions.run, ...(pull && { pull }) });

  async function permissionOf(login: string): Promise<PermissionFact> {
    const answer = await access.permissionOf(access.repo, login, signal);
    return answer.kind === 'known' ? answer.permission : answer.kind;
  }
}

/** What the turn's commands reach: in the untrusted profile nothing, whatever is configured. */
export function networkOf(profile: Profile, { network }: Pick<Config, 'network'>): Config['network'] {
  return profile === 'untrusted' ? 'none' : network;
}

/** Text of outsiders must not bring a person to a yes: in the untrusted profile nobody is asked. */
export function approvalPolicyOf(profile: Profile): 'ask' | 'never' {
  return profile === 'untrusted' ? 'never' : 'ask';
}

function atLeast(permission: PermissionFact, needed: Permission): boolean {
  return (PERMISSIONS as readonly string[]).indexOf(permission) >= PERMISSIONS.indexOf(needed);
}
