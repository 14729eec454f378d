import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

export interface Onward {
  readonly upstream: Socket;
  /** What the upstream is told it is: never the client's own word. */
  readonly host: string;
  readonly path: string;
}

/** Passes one plain HTTP request on, and its answer back, over a connection of its own. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, host, path }: Onward,
): Promise<void> {
  if (request.socket.destroyed) return void upstream.destroy();
  const onward = httpRequest({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path,
    headers: { ...endToEnd(request.headers), ...bodyFraming(request.headers), host, connection: 'close' },
    setHost: false,
  });
  onward.on('error', () => response.destroy());
  // A client that has gone takes its way to the host along.
  response.once('close', () => upstream.destroy());
  pipeline(request, onward).catch(() => onward.destroy());
  const [reply] = (await once(onward, 'response')) as [IncomingMessage];
  response.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply.headers));
  await pipeline(reply, response);
}

/** Of one connection only, or for the proxy itself: they are not passed on. */
const HOP_BY_HOP = new Set(
  'connection expect keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

/** Said even for a GET, whose body would otherwise go out without its length. */
function bodyFraming(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
}
