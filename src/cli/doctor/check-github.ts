import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { Env } from '../../config/env.ts';
import { silentLog } from '../../github/silent-log.ts';
import { readPrivateKey } from '../read-private-key.ts';
import { missingRights, neededRights } from './app-needs.ts';
import { failed, ok, skipped, warning } from './finding.ts';
import type { Check } from './finding.ts';

export interface GitHubCheck {
  readonly env: Env;
  readonly userAgent: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** The credentials of the command line. */
export function checkToken({ env, ...options }: GitHubCheck): Check {
  return {
    name: 'GITHUB_TOKEN',
    mend: 'Make a new token, and check GITHUB_API_URL.',
    async run(signal) {
      if (!env.GITHUB_TOKEN) return skipped('not set', 'Set it to use dsh fix, review and ask from a terminal.');
      const github = client(env, env.GITHUB_TOKEN, options);
      const { data, headers } = await github.rest.users.getAuthenticated({ request: { signal } });
      const scopes = headers['x-oauth-scopes'];
      const lacksRepo = scopes !== undefined && scopes !== '' && !/\brepo\b/.test(scopes);
      if (!lacksRepo) return ok(`${data.login} at ${env.GITHUB_API_URL}`);
      return warning(
        `${data.login}, whose token has only the scopes ${scopes}`,
        'Give it the scope repo; a fine-grained token needs contents, issues and pull requests: write.',
      );
    },
  };
}

/** The App's key, and whether it is registered with all that the manifest asks for. */
export function checkApp(check: GitHubCheck): Check {
  return {
    name: 'GitHub App',
    mend: 'Check APP_ID, the private key and GITHUB_API_URL.',
    async run(signal) {
      if (!check.env.APP_ID) return skipped('APP_ID is not set', 'Set it, with a private key, to run dsh serve.');
      const github = await appClient(check);
      const { data: app } = await github.rest.apps.getAuthenticated({ request: { signal } });
      const given = { permissions: app?.permissions ?? {}, events: app?.events ?? [] };
      const missing = missingRights(neededRights(), given as never);
      if (missing.length > 0) {
        return failed(
          `${app?.name ?? 'The App'} lacks ${missing.join(', ')}.`,
          'Add them in the settings of the App, then accept the change in each installation.',
        );
      }
      const { data: installations } = await github.rest.apps.listInstallations({ per_page: 100, request: { signal } });
      if (installations.length === 0) {
        return warning(`${app?.name ?? 'The App'} is installed nowhere.`, `Install it: ${app?.html_url ?? ''}`);
      }
      const count = `${installations.length} installation${installations.length === 1 ? '' : 's'}`;
      return { ...ok(`${app?.name} with ${count}`), mend: CI_LIMIT };
    },
  };
}

/** What holds though all is well (bot-security.md, at its end). */
const CI_LIMIT =
  'To know: the checks of its branches start by themselves and run model-written code with the CI secrets of the repository. Who serves strangers needs environment protection rules, or the token of Actions, whose pull requests start no workflow.';

const DELIVERIES = 20;

/** Where GitHub sends events, whether anything answers there, and how the last deliveries went. */
export function checkWebhook(check: GitHubCheck): Check {
  return {
    name: 'webhook',
    mend: 'Check the webhook in the settings of the App.',
    async run(signal) {
      const { env } = check;
      if (!env.APP_ID) return skipped('without APP_ID there is none');
      if (!env.WEBHOOK_SECRET)
        return failed('WEBHOOK_SECRET is not set.', 'Set it to the secret of the App’s webhook.');
      const github = await appClient(check);
      const { data: hook } = await github.rest.apps.getWebhookConfigForApp({ request: { signal } });
      if (!hook.url) return failed('The App has no webhook URL.', 'Set it to https://<host>/api/github/webhooks.');
      const request = { per_page: DELIVERIES, request: { signal } };
      const { data: deliveries } = await github.rest.apps.listWebhookDeliveries(request);
      return judgeDeliveries(hook.url, deliveries, await answers(hook.url, check, signal));
    },
  };
}

interface Delivery {
  readonly status_code: number;
  readonly delivered_at: string;
}

/** What GitHub saw counts for more than what this machine sees: the way from there may be another one. Pure. */
export function judgeDeliveries(url: string, deliveries: readonly Delivery[], isAnswered: boolean) {
  const [last] = deliveries.toSorted((a, b) => Date.parse(b.delivered_at) - Date.parse(a.delivered_at));
  if (last && last.status_code >= 200 && last.status_code < 300) {
    return ok(`${url}, the last delivery was taken at ${last.delivered_at}`);
  }
  const mend = 'Start dsh serve, and let GitHub reach it there; failed deliveries are sent again by themselves.';
  if (last) return failed(`${url} answered the last delivery with ${last.status_code || 'nothing'}.`, mend);
  if (isAnswered) return ok(`${url} answers; nothing was delivered yet`);
  return warning(`${url} does not answer from here, and nothing was delivered yet.`, mend);
}

async function answers(url: string, { fetch = globalThis.fetch }: GitHubCheck, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal });
    return true;
  } catch {
    return false; // nobody there, or nobody that this machine can reach
  }
}

async function appClient({ env, ...options }: GitHubCheck): Promise<Octokit> {
  const auth = { appId: env.APP_ID, privateKey: await readPrivateKey(env) };
  return client(env, auth, options, createAppAuth);
}

function client(
  env: Env,
  auth: unknown,
  { userAgent, fetch }: Omit<GitHubCheck, 'env'>,
  authStrategy?: typeof createAppAuth,
): Octokit {
  const strategy = authStrategy && { authStrategy };
  return new Octokit({ auth, ...strategy, baseUrl: env.GITHUB_API_URL, userAgent, log: silentLog, request: { fetch } });
}
