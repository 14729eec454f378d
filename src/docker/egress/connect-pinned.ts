import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Admitted } from './admit.ts';

export interface ConnectLimits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Connects to the addresses that were checked; the name is not looked up again. Rejects after `limitMs`, and on abort. */
export function connectPinned(
  { host, port, addresses }: Admitted,
  { limitMs, signal }: ConnectLimits,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({
    host,
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_host, _options, answer) => answer(null, [...addresses]),
  });
  const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${limitMs} ms`)), limitMs);
  const abort = () => socket.destroy(new Error('given up'));
  signal.addEventListener('abort', abort, { once: true });
  socket.once('error', reject);
  socket.once('connect', () => resolve(socket));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
