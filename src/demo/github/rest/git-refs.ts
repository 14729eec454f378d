import { hasRole } from '../access.ts';
import { afterRefUpdate, zeroSha } from '../changes/ref-updates.ts';
import { isAncestor, listRefs, readRef } from '../git/refs.ts';
import type { Account, Repository } from '../records.ts';
import { invalid, notFound, Refusal, unprocessable } from '../refusal.ts';
import { gitUrl, refuseEmpty } from './git-data.ts';
import { page } from './paginate.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

const read = { app: 'contents:read' };
const write = { app: 'contents:write', person: 'write' as const };

export const gitRefRoutes: Route[] = [
  repositoryRoute('GET /git/ref/{ref}', read, async (call) => {
    await refuseEmpty(call);
    const name = `refs/${call.params.ref}`;
    const found = (await listRefs(call.hub.git(call.repository), name)).get(name);
    if (!found) throw notFound();
    return ok(refView(call, name, found.sha, found.type));
  }),
  repositoryRoute('GET /git/matching-refs/{ref}', read, async (call) => {
    await refuseEmpty(call);
    const refs = [...(await listRefs(call.hub.git(call.repository), `refs/${call.params.ref}`))];
    return page(call, refs, ([name, { sha, type }]) => refView(call, name, sha, type));
  }),
  repositoryRoute('POST /git/refs', write, async (call) => {
    await refuseEmpty(call);
    const { ref, sha } = call.body as { ref: string; sha: string };
    const git = call.hub.git(call.repository);
    if (!/^refs\/[^/]+\/.+/.test(ref) || (await git.ask(['check-ref-format', ref])) === undefined) {
      throw unprocessable(
        `Reference name must start with 'refs/' and contain at least two slashes, and be well formed`,
      );
    }
    if (await readRef(git, ref)) throw unprocessable('Reference already exists');
    const type = await objectType(call, sha);
    if ((await git.ask(['update-ref', ref, sha, zeroSha])) === undefined)
      throw unprocessable('Reference update failed');
    await afterRefUpdate(call.hub, call.repository, { ref, before: zeroSha, after: sha }, call.account);
    return created(refView(call, ref, sha, type));
  }),
  repositoryRoute('PATCH /git/refs/{ref}', write, updateRef),
  repositoryRoute('DELETE /git/refs/{ref}', write, async (call) => {
    const ref = `refs/${call.params.ref}`;
    const before = await existing(call, ref);
    checkProtection(call.repository, call.account, ref);
    await call.hub.git(call.repository).run(['update-ref', '-d', ref, before]);
    await afterRefUpdate(call.hub, call.repository, { ref, before, after: zeroSha }, call.account);
    return noContent();
  }),
];

/** Protected branches move only by pull request, or by hand of an administrator. */
export function checkProtection(repository: Repository, account: Account, ref: string): void {
  const branch = ref.replace('refs/heads/', '');
  if (!repository.protectedBranches.has(branch) || hasRole(repository, account, 'admin')) return;
  throw new Refusal(422, 'Changes must be made through a pull request.');
}

async function updateRef(call: RepositoryCall) {
  const ref = `refs/${call.params.ref}`;
  const { sha, force = false } = call.body as { sha: string; force?: boolean };
  const before = await existing(call, ref);
  const type = await objectType(call, sha);
  checkProtection(call.repository, call.account, ref);
  const git = call.hub.git(call.repository);
  if (!force && !(await isAncestor(git, before, sha))) throw unprocessable('Update is not a fast forward');
  if ((await git.ask(['update-ref', ref, sha, before])) === undefined)
    throw unprocessable('Reference cannot be updated');
  await afterRefUpdate(call.hub, call.repository, { ref, before, after: sha }, call.account);
  return ok(refView(call, ref, sha, type));
}

async function existing(call: RepositoryCall, ref: string): Promise<string> {
  await refuseEmpty(call);
  const sha = await readRef(call.hub.git(call.repository), ref);
  if (!sha) throw unprocessable('Reference does not exist');
  return sha;
}

async function objectType({ hub, repository }: RepositoryCall, sha: string): Promise<string> {
  const type = /^[0-9a-f]{40}$/.test(sha) ? await hub.git(repository).ask(['cat-file', '-t', sha]) : undefined;
  if (type === undefined)
    throw invalid({ resource: 'Reference', field: 'sha', code: 'custom', message: 'Object does not exist' });
  return type;
}

function refView(call: RepositoryCall, ref: string, sha: string, type: string) {
  const base = gitUrl(call);
  return {
    ref,
    node_id: `REF_${call.repository.id}_${ref}`,
    url: `${base}/${ref}`,
    object: { sha, type, url: `${base}/${type}s/${sha}` },
  };
}
