import type { IncomingMessage } from 'node:http';
import type { Hub } from '../hub.ts';
import { Refusal } from '../refusal.ts';

/** A file of 100 MB, as Base64 in a blob. */
const maximumBody = 150_000_000;

export interface Incoming {
  method: string;
  url: URL;
  path: string;
  headers: IncomingMessage['headers'];
  raw: string;
}

/** Reads a whole request. Its path loses `/api/v3` and `/api`, so that the log reads alike for every base URL. */
export async function receive(hub: Hub, request: IncomingMessage): Promise<Incoming> {
  const url = new URL(request.url ?? '/', hub.url);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maximumBody) chunks.push(chunk);
  }
  const path = url.pathname.replace(/^\/api(\/v3)?(?=\/|$)/, '') || '/';
  return {
    method: request.method ?? 'GET',
    url,
    path,
    headers: request.headers,
    raw: Buffer.concat(chunks).toString(),
  };
}

/** No body is no body; what is no JSON is a 400. */
export function parseBody(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
}
