import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { EGRESS_FOLDER, EGRESS_PORT, EGRESS_SOCKET } from './protocol.ts';

const SOCKET = join(EGRESS_FOLDER, EGRESS_SOCKET);

/**
 * Programs know proxies by port, so one of the loopback leads to the host's socket, where this container has one.
 * Answers whether it does: some runtimes show a socket that cannot be reached.
 */
export async function relayEgress(): Promise<boolean> {
  if (!existsSync(SOCKET) || !(await answers())) return false;
  const server = createServer({ allowHalfOpen: true }, relay);
  server.listen(EGRESS_PORT, '127.0.0.1');
  await once(server, 'listening');
  return true;
}

function relay(client: Socket): void {
  const way = connect({ path: SOCKET, allowHalfOpen: true });
  pipeline(client, way, client, () => {});
}

async function answers(): Promise<boolean> {
  const socket = connect({ path: SOCKET });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
