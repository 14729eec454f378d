import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenAt } from './listen-at.ts';
import { receiveWebhook } from './webhook-route.ts';
import type { WebhookRoute } from './webhook-route.ts';

export interface HttpOptions extends WebhookRoute {
  readonly host: string;
  readonly port: number;
  /** Why no work can be done at the moment; empty where it can. */
  readonly notReady: () => Promise<readonly string[]>;
  readonly log: (message: string, error?: unknown) => void;
  /** Answers what people look at; false for what is no page. */
  readonly pages?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

export interface RunningHttp {
  /** Where webhooks go. */
  readonly url: string;
  /** Takes no more connections; requests under way are answered, as far as they come in within `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

/** GitHub waits no longer for an answer. */
const REQUEST_MS = 10_000;
const WEBHOOK_PATH = '/api/github/webhooks';

/** Listens for webhooks (H1), and tells a supervisor how the process is. Throws `CONFIG_INVALID` where it cannot listen. */
export async function serveHttp(options: HttpOptions): Promise<RunningHttp> {
  const server = createServer((request, response) => {
    route(request, response, options).catch((error: unknown) => {
      options.log('a request could not be answered', error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listenAt(server, options);
  return {
    url: `http://${options.host}:${port}${WEBHOOK_PATH}`,
    close: async (limitMs = REQUEST_MS) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), limitMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function route(request: IncomingMessage, response: ServerResponse, options: HttpOptions): Promise<void> {
  const path = request.url?.split('?')[0];
  if (request.method === 'POST' && path === WEBHOOK_PATH) return receiveWebhook(request, response, options);
  if (request.method === 'GET' && path === '/healthz') return void response.end('ok');
  if (request.method === 'GET' && path === '/readyz') return tellReadiness(response, await options.notReady());
  if (await options.pages?.(request, response)) return;
  response.writeHead(404).end();
}

function tellReadiness(response: ServerResponse, reasons: readonly string[]): void {
  response.writeHead(reasons.length === 0 ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(reasons.length === 0 ? 'ok' : reasons.join('\n'));
}
