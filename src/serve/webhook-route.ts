import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GitHubEvent } from '../triggers/reading.ts';

/** GitHub's own limit of a webhook payload. https://docs.github.com/en/webhooks/webhook-events-and-payloads */
const MAX_BODY_BYTES = 25 * 1024 * 1024;

export interface WebhookRoute {
  readonly secret: string;
  /** Takes the event, with its payload as the text it came in; resolves once it may be answered for. */
  readonly accept: (event: GitHubEvent, text: string) => Promise<void> | void;
}

/** Takes one delivery (X8): size, then the signature over the raw bytes in constant time, and only then the JSON, an object. */
export async function receiveWebhook(
  request: IncomingMessage,
  response: ServerResponse,
  route: WebhookRoute,
): Promise<void> {
  const body = await readBody(request);
  if (!body) return answer(response, 413, 'payload too large');
  if (!isSigned(body, request.headers['x-hub-signature-256'], route.secret))
    return answer(response, 401, 'signature does not match');
  const name = request.headers['x-github-event'];
  const delivery = request.headers['x-github-delivery'];
  const text = body.toString('utf8');
  const payload = parse(text);
  if (typeof name !== 'string' || typeof delivery !== 'string' || payload === undefined || !isFromGitHub(payload)) {
    return answer(response, 400, 'not a webhook delivery');
  }
  await route.accept({ name, delivery, payload: payload as GitHubEvent['payload'] }, text);
  answer(response, 202, 'accepted');
}

/**
 * Undefined for a body that is too long. The rest of one is read and dropped, for as long as the server lets a request
 * take: a sender that is still sending would not see the answer.
 */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function isSigned(body: Buffer, header: string | string[] | undefined, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(typeof header === 'string' ? header : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // signed, yet not JSON: the hook is set to another content type
  }
}

/** Ids of GitHub are numbers; with anything else in their place no token could be had. */
function isFromGitHub(payload: object): boolean {
  const { installation } = payload as { installation?: { id?: unknown } | null };
  return installation === undefined || installation === null || typeof installation.id === 'number';
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}
