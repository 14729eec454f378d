import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionPersistence, StoredSession } from '../harness/session/persistence.ts';
import { SessionId } from '../harness/session/types.ts';
import type { SessionEvent } from '../harness/session/types.ts';
import { foldSessionTitle } from '../seams/session-title/fold-title.ts';
import { TRANSCRIPT_POLICY, transcriptPage } from '../store/transcript-page.ts';
import type { GitHubLogin } from './github-login.ts';
import type { TranscriptLinks } from './transcript-link.ts';

export interface TranscriptRoute {
  readonly sessions: Pick<SessionPersistence, 'has' | 'inspect'>;
  readonly links: TranscriptLinks;
  /** People who may read the session's repository may read it; without, only those who have a link. */
  readonly login?: GitHubLogin | undefined;
  readonly redact: (text: string) => string;
}

const PATH = /^\/sessions\/([^/]+)$/;
/** The same for a session that is not there and for one that this caller may not see. */
const NOT_FOUND = 'There is no such session, or you may not see it.\n';

/** Answers `GET /sessions/:id` (H1). False for what is no request of its. */
export async function serveTranscript(
  request: IncomingMessage,
  response: ServerResponse,
  route: TranscriptRoute,
): Promise<boolean> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (request.method !== 'GET') return false;
  if (route.login?.isCallback(url.pathname)) {
    await route.login.finish(request, response, url.searchParams, (id) => read(id, route));
    return true;
  }
  const [, written] = PATH.exec(url.pathname) ?? [];
  const id = written === undefined ? undefined : decoded(written);
  if (written === undefined) return false;
  if (id === undefined) notFound(response);
  else if (route.links.opens(id, url.searchParams) || route.login?.mayRead(request, id))
    await show(id, response, route);
  else if (route.login) route.login.begin(response, id);
  else notFound(response);
  return true;
}

function decoded(text: string): SessionId | undefined {
  try {
    return SessionId(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

async function show(id: SessionId, response: ServerResponse, route: TranscriptRoute): Promise<void> {
  const session = await read(id, route);
  if (!session) return notFound(response);
  const { meta, events } = session;
  const children = await childrenOf(events, route);
  const title = foldSessionTitle(events)?.title;
  const html = transcriptPage({ header: meta, events, title, children, redact: route.redact });
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(html);
}

/** It holds what people said: no other site frames, caches, sniffs or links it. */
const HEADERS = {
  'content-security-policy': `${TRANSCRIPT_POLICY}; frame-ancestors 'none'`,
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

async function read(id: SessionId, { sessions }: TranscriptRoute): Promise<StoredSession | undefined> {
  return (await sessions.has(id)) ? sessions.inspect(id) : undefined;
}

async function childrenOf(
  events: readonly SessionEvent[],
  route: TranscriptRoute,
  found = new Map<SessionId, readonly SessionEvent[]>(),
): Promise<ReadonlyMap<SessionId, readonly SessionEvent[]>> {
  for (const event of events) {
    if (event.type !== 'subagent/started' || found.has(event.data.session)) continue;
    const child = await read(event.data.session, route);
    if (!child) continue;
    found.set(event.data.session, child.events.slice(child.meta.seedLength ?? 0));
    await childrenOf(child.events, route, found);
  }
  return found;
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(NOT_FOUND);
}
