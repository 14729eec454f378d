import { fullNameOf, type Hub } from '../hub.ts';
import type { Incoming } from './receive.ts';
import type { Reply } from './route.ts';

/** GitHub answers a former name with a redirect to the repository's id, keeping the method of writes. */
export function redirectRenamed(hub: Hub, { method, path, url }: Incoming): Reply | undefined {
  const [, owner, name, rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const repository = owner && hub.findRepository(`${owner}/${name}`);
  if (!repository || fullNameOf(repository).toLowerCase() === `${owner}/${name}`.toLowerCase()) return undefined;
  const location = `${hub.apiUrl}/repositories/${repository.id}${rest}${url.search}`;
  const status = method === 'GET' ? 301 : 307;
  const message = status === 301 ? 'Moved Permanently' : 'Temporary Redirect';
  return {
    status,
    headers: { location },
    body: { message, url: location, documentation_url: 'https://docs.github.com/rest' },
  };
}

/** `/repositories/{id}/…` by the name it has now. */
export function pathByName(hub: Hub, path: string): string {
  const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const repository = hub.repositories.find((candidate) => String(candidate.id) === id);
  return repository ? `/repos/${fullNameOf(repository)}${rest}` : path;
}
