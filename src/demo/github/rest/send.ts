import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Hub } from '../hub.ts';
import type { Incoming } from './receive.ts';
import type { Reply } from './route.ts';

const hourlyLimit = 5000;

export function send(hub: Hub, incoming: Incoming, response: ServerResponse, reply: Reply): void {
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
