import { serveApp } from '../app.ts';
import type { OpenHost } from './open-host.ts';
import { readPrivateKey } from './read-private-key.ts';
import { withApp } from './with-app.ts';

interface Output {
  say(line: string): void;
  log(message: string, error?: unknown): void;
}

/** Serves until the signal; then takes no more deliveries and returns when what ran has ended. */
export async function serveFromEnvironment(opened: OpenHost, output: Output, signal: AbortSignal): Promise<void> {
  const host = await withApp(opened, output, signal);
  if (!host) return;
  const privateKey = await readPrivateKey(host.env);
  host.bot.redactor.add(privateKey);
  const app = await serveApp({ ...host, privateKey, log: output.log });
  output.say(`dsh listens for webhooks at ${app.url}`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await app.close();
}
