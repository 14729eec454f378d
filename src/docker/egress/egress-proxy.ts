import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { admit } from './admit.ts';
import type { AddressRules, Admitted } from './admit.ts';
import { connectPinned } from './connect-pinned.ts';
import type { EgressPolicy, EgressTarget } from './egress-policy.ts';
import { forwardRequest } from './forward-request.ts';
import { readOpening } from './read-opening.ts';
import { loggedHost } from './request-log.ts';
import type { NetworkRequest } from './request-log.ts';

export interface EgressLimits {
  /** Open at a time. */
  readonly connections: number;
  readonly connectMs: number;
  /** A connection over which nothing comes or goes for so long is ended. */
  readonly idleMs: number;
}

export interface EgressProxyOptions {
  readonly policy: EgressPolicy;
  readonly rules: AddressRules;
  readonly limits: EgressLimits;
  readonly record: (request: NetworkRequest) => void;
}

/** A proxy for HTTP, and by CONNECT for TLS, that lets through what its policy admits. Follows no redirect itself. */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #closing = new AbortController();

  constructor(options: EgressProxyOptions) {
    const { connections, connectMs, idleMs } = options.limits;
    this.#options = options;
    this.#server = createServer({
      maxHeaderSize: 16 * 1024,
      headersTimeout: connectMs,
      requestTimeout: 0,
      requireHostHeader: false,
    });
    this.#server.maxConnections = connections;
    this.#server.setTimeout(idleMs);
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on('connect', (request, client, head) => this.#detached(this.#tunnel(request, client, head), client));
    this.#server.on('request', (request, response) => this.#detached(this.#forward(request, response), request.socket));
  }

  async listen(socketPath: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ path: socketPath }, resolve);
    return promise;
  }

  /** Ends what is open, looked up or on its way. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    this.#closing.abort();
    return promise;
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = readAuthority(request.url ?? '');
    if (!target) return void client.end(plainAnswer('400 Bad Request', 'expected CONNECT host:port'));
    const admitted = await this.#admit(target);
    if (admitted.refused !== undefined) {
      return void client.end(plainAnswer(`403 ${REFUSED}: ${admitted.refused}`, sentence(target, admitted.refused)));
    }
    const upstream = await this.#connect(admitted);
    if (!upstream) return void client.end(plainAnswer('502 Bad Gateway', sentence(target, 'does not answer')));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const opening = await this.#opening(admitted, client, head).catch(() => undefined);
    if (!opening) return void [client, upstream].map((end) => end.destroy());
    upstream.write(opening);
    pipeline(client, upstream, client, () => {});
  }

  /**
   * What the client says first, or undefined where it means somebody else than it named: a host of a delivery network
   * answers for every other of its hosts that TLS asks for, so a list of names is only as good as this check.
   */
  async #opening({ host, port }: Admitted, client: Duplex, head: Buffer): Promise<Buffer | undefined> {
    const { policy, limits, record } = this.#options;
    if (policy.network === 'full') return head;
    const { bytes, server } = await readOpening(client, head, limits.connectMs);
    if (server.kind === 'name' && server.name === host) return bytes;
    record({ host, port, verdict: 'refused', reason: NO_TUNNEL[server.kind] });
    return undefined;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return answer(response, 400, 'Bad Request', 'expected an http:// address');
    const target = { host: withoutBrackets(url.hostname), port: Number(url.port || 80) };
    const admitted = await this.#admit(target);
    if (admitted.refused !== undefined)
      return answer(response, 403, `${REFUSED}: ${admitted.refused}`, sentence(target, admitted.refused));
    const upstream = await this.#connect(admitted);
    if (!upstream) return answer(response, 502, 'Bad Gateway', sentence(target, 'does not answer'));
    const host = url.port === '' ? admitted.host : `${admitted.host}:${url.port}`;
    await forwardRequest(request, response, { upstream, host, path: url.pathname + url.search });
  }

  async #admit(target: EgressTarget): Promise<Admitted | { readonly refused: string }> {
    const { policy, rules, record } = this.#options;
    const admitted = await admit(target, policy, rules, this.#closing.signal);
    const logged = { host: loggedHost(target.host), port: target.port };
    if (admitted.refused === undefined) record({ ...logged, verdict: 'allowed' });
    else record({ ...logged, verdict: 'refused', reason: admitted.refused });
    return admitted;
  }

  async #connect(admitted: Admitted): Promise<Socket | undefined> {
    const { connectMs: limitMs, idleMs } = this.#options.limits;
    const { signal } = this.#closing;
    const socket = await connectPinned(admitted, { limitMs, signal }).catch(() => undefined);
    if (!socket) return undefined;
    this.#track(socket);
    return signal.aborted ? void socket.destroy() : socket.setTimeout(idleMs);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    // Whoever hangs up, on either side, is nobody's failure here.
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    socket.once('timeout', () => socket.destroy());
  }

  /** What fails in one connection ends that connection. */
  #detached(work: Promise<void>, client: Duplex): void {
    work.catch(() => client.destroy());
  }
}

const REFUSED = 'Refused by the sandbox';
const NO_TUNNEL = {
  none: 'a tunnel without TLS',
  name: 'TLS for another host',
  hidden: 'TLS that hides its host',
} as const;

function sentence({ host, port }: EgressTarget, reason: string): string {
  return `The network of this sandbox refused ${loggedHost(host)}:${port}: ${reason}.`;
}

function plainAnswer(status: string, text: string): string {
  const length = text.length + 1;
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${text}\n`;
}

function answer(response: ServerResponse, status: number, message: string, text: string): void {
  response.writeHead(status, message, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
}

function readAuthority(authority: string): EgressTarget | undefined {
  const [, host, port] = /^(\[[^[\]]*\]|[^:[\]]+):(\d{1,5})$/.exec(authority) ?? [];
  return host === undefined ? undefined : { host: withoutBrackets(host), port: Number(port) };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
