import { issuesOf } from './hub.ts';
import type { Account, Association, Repository } from './records.ts';

/** What a payload says about an author. It knows nothing of memberships kept private, so it may say less than the permission endpoint. */
export function associationOf(repository: Repository, account: Account): Association {
  const login = account.login.toLowerCase();
  const stated = repository.associations.get(login);
  if (stated) return stated;
  if (account === repository.owner) return 'OWNER';
  if (repository.roles.has(login)) return 'COLLABORATOR';
  const contributed = issuesOf(repository).some((issue) => issue.pull?.merged && issue.author === account);
  return contributed ? 'CONTRIBUTOR' : 'NONE';
}
