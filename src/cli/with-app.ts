import { readFile } from 'node:fs/promises';
import { Octokit } from '@octokit/rest';
import { silentLog } from '../github/silent-log.ts';
import { readAppCredentials, storeAppCredentials } from '../serve/app-credentials.ts';
import type { AppCredentials } from '../serve/app-credentials.ts';
import { setUpApp } from '../serve/setup-app.ts';
import type { OpenHost } from './open-host.ts';
import { findPackageRoot } from './package-root.ts';

interface Output {
  say(line: string): void;
  log(message: string, error?: unknown): void;
}

/**
 * The host with the credentials of an App: of the environment, else those that were stored when one was registered here,
 * else of one that is registered now (H5). In production nobody is let in to register one. Undefined where the signal came.
 */
export async function withApp(host: OpenHost, output: Output, signal: AbortSignal): Promise<OpenHost | undefined> {
  const { APP_ID, PRIVATE_KEY, PRIVATE_KEY_PATH, WEBHOOK_SECRET, NODE_ENV, dataDir } = host.env;
  if (APP_ID ?? PRIVATE_KEY ?? PRIVATE_KEY_PATH ?? WEBHOOK_SECRET) return host;
  const stored = await readAppCredentials(dataDir);
  if (stored) return withCredentials(host, stored);
  if (NODE_ENV === 'production') return host;
  const made = await register(host, output, signal);
  return made && withCredentials(host, made);
}

async function register({ env, bot, userAgent }: OpenHost, output: Output, signal: AbortSignal) {
  const octokit = new Octokit({ baseUrl: env.GITHUB_API_URL, userAgent, log: silentLog });
  return setUpApp({
    ...{ host: env.HOST, port: env.PORT, serverUrl: env.GITHUB_SERVER_URL, log: output.log, signal },
    appFile: await readFile(`${findPackageRoot()}/app.yml`, 'utf8'),
    convert: async (code) => (await octokit.rest.apps.createFromManifest({ code, request: { signal } })).data,
    store: async (credentials) => {
      for (const secret of secretsOf(credentials)) bot.redactor.add(secret);
      output.say(
        `The App is registered; its credentials are in ${await storeAppCredentials(env.dataDir, credentials)}`,
      );
    },
    onListening: (url) => output.say(`No GitHub App is configured. Register one at ${url}`),
  });
}

function withCredentials(host: OpenHost, credentials: AppCredentials): OpenHost {
  for (const secret of secretsOf(credentials)) host.bot.redactor.add(secret);
  return { ...host, env: { ...host.env, ...credentials } };
}

function secretsOf({ APP_ID: _, GITHUB_CLIENT_ID: __, ...secrets }: AppCredentials): string[] {
  return Object.values(secrets);
}
