import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GitHubServer } from '../src/demo/github/start-github.ts';
import { cleanEnv } from './benchmark.ts';

export interface AppProcess {
  /** Where webhooks go. */
  readonly url: string;
  close(): Promise<void>;
}

/** A server in a process of its own: the App, or a bare Probot that does the same with nothing behind it. */
export async function startAppProcess(
  script: 'app-server.ts' | 'bare-probot.ts',
  { github, apiUrl = github.apiUrl, more }: { github: GitHubServer; apiUrl?: string; more: NodeJS.ProcessEnv },
): Promise<AppProcess> {
  const { app, url } = github;
  const child = fork(join(import.meta.dirname, script), {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...cleanEnv(),
      ...{ APP_ID: String(app.id), WEBHOOK_SECRET: app.webhookSecret, PRIVATE_KEY: app.privateKey, PORT: '0' },
      ...{ GITHUB_API_URL: apiUrl, GITHUB_SERVER_URL: url, NODE_ENV: 'production', LOG_LEVEL: 'fatal' },
      ...more,
    },
  });
  const [message] = (await once(child, 'message')) as [{ url: string }];
  return {
    url: message.url,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
