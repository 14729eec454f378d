import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DshError } from '../errors.ts';

/** Begins to listen; resolves with the port, which 0 leaves open. Throws `CONFIG_INVALID` where that cannot be. */
export async function listenAt(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(host, port, cause)));
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): DshError {
  const hint = 'Set HOST to an address of this machine and PORT to a free port.';
  return new DshError(`Cannot listen on ${host}:${port} (${cause.code}).`, 'CONFIG_INVALID', hint, { cause });
}
