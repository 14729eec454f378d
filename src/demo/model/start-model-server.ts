import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkRequest } from './check-request.ts';
import type { RequestRules } from './check-request.ts';
import { ChatRequest } from './chat-request.ts';
import type { Reply, ReplyError, Script } from './reply.ts';
import { streamReply } from './stream-reply.ts';

export interface ModelServerOptions {
  script: Script;
  /** Added before every reply. */
  latencyMs?: number;
  /** 0, the default, takes a free one. */
  port?: number;
  /** Requests without it as bearer get the provider's 401. */
  apiKey?: string;
  rules?: Partial<RequestRules>;
}

export interface RecordedRequest {
  headers: IncomingHttpHeaders;
  /** The body's bytes as text. */
  raw: string;
  /** Absent where the body was refused. */
  body?: ChatRequest;
  /** The client went away before the reply was complete. */
  closedEarly: boolean;
}

export interface ModelServer {
  /** For the client's base URL. */
  readonly baseUrl: string;
  /** Every chat request so far, refused ones included, oldest first. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** A scripted model on loopback that speaks Chat Completions over real HTTP and refuses what the real ones refuse. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, options, requests).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else refuse(response, { status: 500, body: errorBody(`the script failed: ${String(error)}`, 'server_error') });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ModelServerOptions,
  requests: RecordedRequest[],
): Promise<void> {
  const path = request.url?.replace(/^\/v1/, '').replace(/\?.*/, '');
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
    return refuse(response, {
      status: 401,
      body: errorBody('Authentication Fails, Your api key is invalid', 'authentication_error'),
    });
  }
  if (request.method === 'GET' && path === '/models') return listModels(response, options);
  if (request.method === 'POST' && path === '/chat/completions') return chat(request, response, options, requests);
  refuse(response, {
    status: 404,
    body: errorBody(`no route ${request.method} ${request.url}`, 'invalid_request_error'),
  });
}

async function chat(
  request: IncomingMessage,
  response: ServerResponse,
  { script, rules, latencyMs = 0 }: ModelServerOptions,
  requests: RecordedRequest[],
): Promise<void> {
  const raw = await readBody(request);
  const named = namingRequest(parseJson(raw));
  if (named) return streamReply(response, named, NAME, { id: 'name', signal: new AbortController().signal });
  const index = requests.length;
  const recorded: RecordedRequest = { headers: request.headers, raw, closedEarly: false };
  requests.push(recorded);
  const gone = new AbortController();
  response.on('close', () => {
    recorded.closedEarly = !response.writableFinished;
    gone.abort();
  });

  const checked = checkRequest(parseJson(raw), { reasoning: 'by-thinking', ...rules });
  if ('refusal' in checked) {
    return refuse(response, { status: 400, body: errorBody(checked.refusal, 'invalid_request_error') });
  }
  recorded.body = checked.request;
  const reply = await script(checked.request, index);
  const waitMs = latencyMs + (reply.delayMs ?? 0);
  if (waitMs > 0) await sleep(waitMs, undefined, { signal: gone.signal });
  if (reply.error) return refuse(response, reply.error);
  await streamReply(response, checked.request, reply, { id: `chat-${index + 1}`, signal: gone.signal });
}

const NAME: Reply = { text: 'A short name' };

/** What names a session is asked beside the conversation, whenever it suits: it has no place in a script. */
function namingRequest(body: unknown): ChatRequest | undefined {
  const { data } = ChatRequest.safeParse(body);
  const [first] = data?.messages ?? [];
  return first?.role === 'system' && first.content.startsWith('Name the conversation') ? data : undefined;
}

function listModels(response: ServerResponse, { rules }: ModelServerOptions): void {
  const data = (rules?.models ?? ['scripted']).map((id) => ({ id, object: 'model', owned_by: 'demo' }));
  sendJson(response, 200, { object: 'list', data });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined; // refused as any other wrong body
  }
}

function refuse(response: ServerResponse, { status, body, headers }: ReplyError): void {
  sendJson(response, status, body ?? errorBody(`status ${status}`, 'error'), headers);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function errorBody(message: string, type: string): object {
  return { error: { message, type, param: null, code: 'invalid_request_error' } };
}
