import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { readServerName } from './tls-server-name.ts';
import type { ServerName } from './tls-server-name.ts';

export interface Opening {
  /** All that was read, to be passed on. */
  readonly bytes: Buffer;
  /** What the client's TLS says of the host that it asks for. */
  readonly server: Exclude<ServerName, { kind: 'partial' }>;
}

/** Reads as far as it takes to see whom a client means to talk to. Rejects when it does not say so within `limitMs`. */
export async function readOpening(client: Duplex, head: Buffer, limitMs: number): Promise<Opening> {
  const signal = AbortSignal.timeout(limitMs);
  for (let bytes = head; ;) {
    const found = readServerName(bytes);
    if (found.kind !== 'partial') return { bytes, server: found };
    if (client.readableLength === 0) await once(client, 'readable', { signal });
    const chunk = client.read() as Buffer | null;
    if (chunk === null) return { bytes, server: { kind: 'none' } };
    bytes = Buffer.concat([bytes, chunk]);
  }
}
