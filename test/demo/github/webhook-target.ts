import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  event: string;
  guid: string;
  signature: string;
  raw: string;
  payload: { action?: string; [field: string]: unknown };
}

/** A server that keeps the deliveries it gets; `status` is what it answers. */
export async function startWebhookTarget() {
  const received: Received[] = [];
  const target = { status: 202 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const header = (name: string) => String(request.headers[name]);
      received.push({
        event: header('x-github-event'),
        guid: header('x-github-delivery'),
        signature: header('x-hub-signature-256'),
        raw,
        payload: JSON.parse(raw),
      });
      response.writeHead(target.status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    received,
    answerWith(status: number): void {
      target.status = status;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
