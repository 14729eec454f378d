import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hub } from './hub.ts';
import type { Permissions } from './records.ts';

interface Manifest {
  readonly name: string;
  readonly url: string;
  readonly redirect_url: string;
  readonly hook_attributes: { readonly url: string };
  readonly default_permissions: Permissions;
  readonly default_events: string[];
}

export const isManifestRequest = (path: string): boolean =>
  /^(\/organizations\/[\w.-]+)?\/settings\/apps\/new$/.test(path);

/** The page on which a person registers an App from a manifest; the person who gets here says yes at once. */
export function manifestPage(hub: Hub, credentials: { pem: string; webhook_secret: string }) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', hub.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const manifest = JSON.parse(form.get('manifest') ?? '{}') as Partial<Manifest>;
    const { name, url: home, redirect_url: back, hook_attributes: hook } = manifest;
    if (request.method !== 'POST' || !name || !home || !hook?.url || !back)
      return void response.writeHead(422).end('The manifest is not valid.');
    const code = randomBytes(20).toString('hex');
    hub.app.permissions = manifest.default_permissions ?? {};
    hub.app.events = manifest.default_events ?? [];
    hub.manifestCodes.set(code, credentials);
    hub.webhooks.queue.setTarget(hook.url);
    const location = new URL(back);
    location.searchParams.set('code', code);
    const state = url.searchParams.get('state');
    if (state !== null) location.searchParams.set('state', state);
    response.writeHead(302, { location: location.href }).end();
  };
}
