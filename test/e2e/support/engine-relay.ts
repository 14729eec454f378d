import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { DEFAULT_DOCKER_HOST } from '../../../src/docker/engine.ts';

export interface EngineRelay {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  /** From now on nobody answers there, and every connection is cut. */
  stop(): void;
}

/** Stands before the real engine, so that the engine can be lost without losing it for everyone. */
export async function startEngineRelay(path: string): Promise<EngineRelay> {
  const engine = (process.env.DOCKER_HOST ?? DEFAULT_DOCKER_HOST).replace('unix://', '');
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = createConnection({ path: engine, allowHalfOpen: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    host: `unix://${path}`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
