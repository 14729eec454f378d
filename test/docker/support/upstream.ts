import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Servers of a made-up internet, all on the loopback of this machine. */
export interface Upstream {
  readonly port: number;
  readonly requests: { readonly url: string; readonly host: string }[];
  /** Connections that came, whatever they then said. */
  connections: number;
  close(): void;
}

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/tls', name));
export const TEST_CERTIFICATE = fixture('certificate.pem');

export function openUpstream(listener: RequestListener): Promise<Upstream> {
  return listening(createServer(), listener);
}

export function openTlsUpstream(listener: RequestListener): Promise<Upstream> {
  return listening(createTlsServer({ key: fixture('key.pem'), cert: TEST_CERTIFICATE }), listener);
}

async function listening(server: Server, listener: RequestListener): Promise<Upstream> {
  const upstream = { port: 0, requests: [] as { url: string; host: string }[], connections: 0, close };
  function close() {
    server.close();
    server.closeAllConnections();
  }
  server.on('connection', () => (upstream.connections += 1));
  server.on('request', (request, response) => {
    upstream.requests.push({ url: request.url ?? '', host: request.headers.host ?? '' });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  upstream.port = (server.address() as AddressInfo).port;
  return upstream;
}
