import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorize } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import type { Fault } from '../faults.ts';
import { runGraphql } from '../graphql/run-graphql.ts';
import type { Hub } from '../hub.ts';
import type { Actor } from '../records.ts';
import { notFound, Refusal } from '../refusal.ts';
import { routeMatcher } from './match-route.ts';
import { logRequest } from './log-request.ts';
import { parseBody, receive, type Incoming } from './receive.ts';
import { pathByName, redirectRenamed } from './renamed.ts';
import type { Call, Reply, Route } from './route.ts';
import { send } from './send.ts';

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
    const latencyMs = hub.faults.latencyMs + (fault?.latencyMs ?? 0);
    if (latencyMs > 0) await sleep(latencyMs);
    if (fault?.drop === 'before') return void response.destroy();

    const { reply, actor, body } = await answer(incoming, fault);
    logRequest(hub, incoming, actor, { body, status: reply.status });
    if (fault?.drop === 'after') return void response.destroy();
    send(hub, incoming, response, reply);
  };

  async function answer(incoming: Incoming, fault: Fault | undefined) {
    let actor: Actor = { kind: 'anonymous' };
    let body: unknown;
    try {
      actor = authenticate(hub, publicKey, incoming.headers.authorization);
      body = parseBody(incoming.raw);
      if (fault?.status && !fault.applied) return { reply: faultReply(fault), actor, body };
      const reply = await dispatch(incoming, actor, body);
      return { reply: fault?.status ? faultReply(fault) : reply, actor, body };
    } catch (error) {
      return { reply: refusalReply(error), actor, body };
    }
  }

  async function dispatch(incoming: Incoming, actor: Actor, body: unknown): Promise<Reply> {
    if (incoming.path === '/graphql') return runGraphql(hub, actor, body);
    const moved = redirectRenamed(hub, incoming);
    if (moved) return moved;
    const found = find(incoming.method, pathByName(hub, incoming.path));
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
