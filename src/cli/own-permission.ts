import { MAY_NOT_LOOK } from '../github/permissions.ts';
import type { PermissionLookup } from '../github/permissions.ts';

/** In a terminal the account that asks GitHub is the one it asks about: not being told is to have no right to push. */
export function ownPermission(lookUp: PermissionLookup): PermissionLookup {
  return async (repo, login, signal) => {
    const answer = await lookUp(repo, login, signal);
    const mayNotPush = answer.kind === 'could-not-check' && answer.why === MAY_NOT_LOOK;
    return mayNotPush ? { kind: 'known', permission: 'read' } : answer;
  };
}
