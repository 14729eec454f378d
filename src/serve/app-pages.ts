import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Env } from '../config/env.ts';
import type { Bot } from '../create-bot.ts';
import { GitHubLogin } from './github-login.ts';
import { METRICS_TYPE } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { TranscriptLinks } from './transcript-link.ts';
import { serveTranscript } from './transcript-page.ts';

export interface AppPagesOptions {
  readonly env: Env;
  readonly bot: Pick<Bot, 'sessions' | 'redactor'>;
  /** Signs links and cookies: one that all workers share. */
  readonly secret: string;
  readonly metrics: Metrics;
  /** Where people reach this server; without it nobody can sign in. */
  readonly publicUrl: string | undefined;
  readonly now: () => Date;
}

/** What people and their tools look at (H1): `/metrics`, `/sessions/:id`. The answer is whether it was one of them. */
export function appPages(
  options: AppPagesOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const { bot, secret, metrics, now } = options;
  const links = new TranscriptLinks(secret, now);
  const route = { sessions: bot.sessions, links, redact: (text: string) => bot.redactor.redact(text) };
  const transcripts = { ...route, login: loginOf(options, links) };
  return async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      return serveTranscript(request, response, transcripts);
    }
    response.writeHead(200, { 'content-type': METRICS_TYPE }).end(await metrics.render());
    return true;
  };
}

/** Whether the App has the means to let people sign in. */
export function hasLogin({ GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: secret }: Env): boolean {
  return Boolean(id && secret);
}

function loginOf({ env, publicUrl }: AppPagesOptions, links: TranscriptLinks): GitHubLogin | undefined {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = env;
  if (!clientId || !clientSecret || !publicUrl) return undefined;
  const { GITHUB_SERVER_URL: serverUrl, GITHUB_API_URL: apiUrl } = env;
  return new GitHubLogin({ clientId, clientSecret, publicUrl, serverUrl, apiUrl, links });
}
