import { readFile } from 'node:fs/promises';
import { serveApp } from '../app.ts';
import { DshError } from '../errors.ts';
import type { OpenHost } from './open-host.ts';

interface Output {
  say(line: string): void;
  log(message: string, error?: unknown): void;
}

/** Serves until the signal; then takes no more deliveries and returns when what ran has ended. */
export async function serveFromEnvironment(host: OpenHost, output: Output, signal: AbortSignal): Promise<void> {
  const privateKey = await readPrivateKey(host.env);
  host.bot.redactor.add(privateKey);
  const app = await serveApp({ ...host, privateKey, log: output.log });
  output.say(`dsh listens for webhooks at ${app.url}`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await app.close();
}

async function readPrivateKey({ PRIVATE_KEY, PRIVATE_KEY_PATH }: OpenHost['env']): Promise<string> {
  const inline = PRIVATE_KEY?.replaceAll(String.raw`\n`, '\n');
  if (inline) return inline;
  if (PRIVATE_KEY_PATH) return readFile(PRIVATE_KEY_PATH, 'utf8');
  const hint = 'Set PRIVATE_KEY, or PRIVATE_KEY_PATH to the file GitHub gave you.';
  throw new DshError('The private key of the GitHub App is not set.', 'CONFIG_INVALID', hint);
}
