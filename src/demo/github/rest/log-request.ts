import { accountOf, type Hub } from '../hub.ts';
import type { Actor } from '../records.ts';
import type { Incoming } from './receive.ts';

type Seen = Pick<Incoming, 'method' | 'path' | 'url' | 'headers'>;

/** Writes a call into the log, without its credential. */
export function logRequest(
  hub: Hub,
  seen: Seen,
  actor: Actor,
  { body, status, git = false }: { body?: unknown; status: number; git?: boolean },
): void {
  const { method, path, url } = seen;
  const { authorization, ...headers } = seen.headers;
  const kind = git ? 'git' : path === '/graphql' ? 'graphql' : 'rest';
  const query = Object.fromEntries(url.searchParams);
  hub.requests.push({ at: hub.now(), kind, method, path, query, headers, body, status, actor: nameOf(actor) });
}

function nameOf(actor: Actor): string {
  return accountOf(actor)?.login ?? (actor.kind === 'app-jwt' ? 'app' : 'anonymous');
}
