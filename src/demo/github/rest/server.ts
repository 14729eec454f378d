import { createHash, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorize } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import type { Fault } from '../faults.ts';
import { runGraphql } from '../graphql/run-graphql.ts';
import { type Hub, accountOf, fullNameOf } from '../hub.ts';
import type { Actor, Repository } from '../records.ts';
import { notFound, Refusal } from '../refusal.ts';
import { routeMatcher } from './match-route.ts';
import type { Call, Reply, Route } from './route.ts';

const maximumBody = 26_214_400;
const hourlyLimit = 5000;

interface Incoming {
  method: string;
  url: URL;
  path: string;
  headers: IncomingMessage['headers'];
  raw: string;
}

/** Answers REST and GraphQL requests: fault, actor, route, access, validation, handler, log. */
export function restServer(
  hub: Hub,
  publicKey: KeyObject,
  routes: Route[],
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const find = routeMatcher(routes);

  return async (request, response) => {
    const incoming = await receive(hub, request);
    const fault = hub.faults.take(incoming.method, incoming.path);
    await sleep(hub.faults.latencyMs + (fault?.latencyMs ?? 0));
    if (fault?.drop === 'before') return void response.destroy();

    const { reply, actor, body } = await answer(incoming, fault);
    hub.requests.push(record(incoming, actor, body, reply.status));
    if (fault?.drop === 'after') return void response.destroy();
    send(hub, incoming, response, reply);
  };

  async function answer(incoming: Incoming, fault: Fault | undefined) {
    let actor: Actor = { kind: 'anonymous' };
    let body: unknown;
    try {
      actor = authenticate(hub, publicKey, incoming.headers.authorization);
      body = parseBody(incoming.raw);
      if (fault?.status) return { reply: faultReply(fault), actor, body };
      return { reply: await dispatch(incoming, actor, body), actor, body };
    } catch (error) {
      return { reply: refusalReply(error), actor, body };
    }
  }

  async function dispatch(incoming: Incoming, actor: Actor, body: unknown): Promise<Reply> {
    if (/^(\/api)?\/graphql$/.test(incoming.path)) return runGraphql(hub, actor, body);
    const moved = redirectRenamed(hub, incoming);
    if (moved) return moved;
    const found = find(incoming.method, byName(hub, incoming.path));
    if (!found) throw notFound();
    const query = Object.fromEntries(incoming.url.searchParams);
    const fields = (body ?? {}) as Record<string, unknown>;
    const call: Call = {
      hub,
      actor,
      params: found.params,
      query,
      headers: incoming.headers,
      body: fields,
      url: publicUrl(hub, incoming),
    };
    return handle(hub, found.route, call, body);
  }
}

async function handle(hub: Hub, route: Route, call: Call, body: unknown): Promise<Reply> {
  if (route.on === 'server') {
    validate(hub, route, call, body);
    return checked(hub, route, await route.handle(call));
  }
  const repository = hub.findRepository(`${call.params.owner}/${call.params.repo}`);
  if (!repository) throw notFound();
  const writes = !route.operation.startsWith('GET ');
  const account = authorize(hub, repository, call.actor, route.access, writes);
  validate(hub, route, call, body);
  return checked(hub, route, await route.handle({ ...call, repository, account }));
}

function validate(hub: Hub, route: Route, call: Call, body: unknown): void {
  const faults = hub.validate?.request({ operation: route.operation, query: call.query, body }) ?? [];
  if (faults.length > 0) throw new Refusal(422, `Invalid request.\n\n${faults.join('\n')}`);
}

/** A bug of the demo itself, so it is loud. */
function checked(hub: Hub, route: Route, reply: Reply): Reply {
  const faults = hub.validate?.response?.({ operation: route.operation, status: reply.status, body: reply.body }) ?? [];
  if (faults.length > 0) throw new Error(`${route.operation} answered against the description: ${faults.join('; ')}`);
  return reply;
}

async function receive(hub: Hub, request: IncomingMessage): Promise<Incoming> {
  const url = new URL(request.url ?? '/', hub.url);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maximumBody) chunks.push(chunk);
  }
  const path = url.pathname.replace(/^\/api\/v3(?=\/|$)/, '') || '/';
  return {
    method: request.method ?? 'GET',
    url,
    path,
    headers: request.headers,
    raw: Buffer.concat(chunks).toString(),
  };
}

function parseBody(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
}

/** GitHub answers a former name with a redirect to the repository's id, keeping the method of writes. */
function redirectRenamed(hub: Hub, { method, path, url }: Incoming): Reply | undefined {
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

function byName(hub: Hub, path: string): string {
  const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const repository: Repository | undefined = hub.repositories.find((candidate) => String(candidate.id) === id);
  return repository ? `/repos/${fullNameOf(repository)}${rest}` : path;
}

function publicUrl(hub: Hub, { path, url }: Incoming): URL {
  return new URL(`${hub.apiUrl}${path}${url.search}`);
}

function faultReply({ status = 500, body, headers = {} }: Fault): Reply {
  return { status, headers, body: body ?? { message: status >= 500 ? 'Server Error' : 'Injected fault' } };
}

function refusalReply(error: unknown): Reply {
  if (error instanceof Refusal) return { status: error.status, body: error.body, headers: error.headers };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 500, body: { message } };
}

function record(incoming: Incoming, actor: Actor, body: unknown, status: number) {
  const { authorization, ...headers } = incoming.headers;
  const kind = /^(\/api)?\/graphql$/.test(incoming.path) ? ('graphql' as const) : ('rest' as const);
  const query = Object.fromEntries(incoming.url.searchParams);
  return {
    at: new Date(),
    kind,
    method: incoming.method,
    path: incoming.path,
    query,
    headers,
    body,
    status,
    actor: nameOf(actor),
  };
}

function nameOf(actor: Actor): string {
  return accountOf(actor)?.login ?? (actor.kind === 'app-jwt' ? 'app' : 'anonymous');
}

function send(hub: Hub, incoming: Incoming, response: ServerResponse, reply: Reply): void {
  const headers: Record<string, string> = { ...rateHeaders(hub), date: hub.now().toUTCString(), ...reply.headers };
  if (reply.body === undefined) return void response.writeHead(reply.status, headers).end();
  const raw = typeof reply.body === 'string' || Buffer.isBuffer(reply.body);
  const bytes = raw ? Buffer.from(reply.body as string) : Buffer.from(JSON.stringify(reply.body));
  if (incoming.method === 'GET' && reply.status === 200) {
    headers.etag = `W/"${createHash('sha256').update(bytes).digest('hex')}"`;
    if (incoming.headers['if-none-match'] === headers.etag) return void response.writeHead(304, headers).end();
  }
  response
    .writeHead(reply.status, {
      'content-type': raw ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      ...headers,
    })
    .end(bytes);
}

function rateHeaders(hub: Hub): Record<string, string> {
  const used = hub.requests.length % hourlyLimit;
  return {
    'x-ratelimit-limit': String(hourlyLimit),
    'x-ratelimit-remaining': String(hourlyLimit - used),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.floor(hub.now().getTime() / 1000) + 3600),
    'x-ratelimit-resource': 'core',
  };
}
