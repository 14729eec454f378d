import { readCommit } from '../git/read-commits.ts';
import { listRefs } from '../git/refs.ts';
import { fullNameOf } from '../hub.ts';
import { Refusal } from '../refusal.ts';
import { page } from './paginate.ts';
import { ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { commitView } from '../views/commit.ts';

const read = { app: 'contents:read' };

export const branchRoutes: Route[] = [
  repositoryRoute('GET /branches', read, async (call) => {
    const heads = [...(await listRefs(call.hub.git(call.repository), 'refs/heads/'))];
    return page(call, heads, ([ref, { sha }]) => {
      const { name, isProtected, protectionUrl } = facts(call, ref.slice('refs/heads/'.length));
      const url = `${call.hub.apiUrl}/repos/${fullNameOf(call.repository)}/commits/${sha}`;
      return { name, commit: { sha, url }, protected: isProtected, protection_url: protectionUrl };
    });
  }),
  repositoryRoute('GET /branches/{branch}', read, async (call) => {
    const commit = await readCommit(call.hub.git(call.repository), `refs/heads/${call.params.branch}`);
    if (!commit) throw new Refusal(404, 'Branch not found');
    const { name, isProtected, protectionUrl } = facts(call, call.params.branch!);
    const self = `${call.hub.apiUrl}/repos/${fullNameOf(call.repository)}/branches/${name}`;
    return ok({
      name,
      commit: commitView(call.hub, call.repository, commit),
      protected: isProtected,
      protection_url: protectionUrl,
      _links: { self, html: `${call.hub.url}/${fullNameOf(call.repository)}/tree/${name}` },
      protection: {
        enabled: isProtected,
        required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
      },
    });
  }),
];

function facts({ hub, repository }: RepositoryCall, name: string) {
  const protectionUrl = `${hub.apiUrl}/repos/${fullNameOf(repository)}/branches/${name}/protection`;
  return { name, isProtected: repository.protectedBranches.has(name), protectionUrl };
}
