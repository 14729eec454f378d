import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHost } from '../src/cli/open-host.ts';
import { startGitHub } from '../src/demo/github/start-github.ts';
import type { GitHubServer } from '../src/demo/github/start-github.ts';

export interface LiveOptions {
  /** `provider/model` */
  readonly model: string;
  readonly variables: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

/** A test GitHub, and the command line's host on it, with a real model and a real sandbox. */
export interface LiveStage {
  readonly github: GitHubServer;
  readonly host: Awaited<ReturnType<typeof openHost>>;
}

/** Opens the stage, and ends all of it when the work is done. */
export async function onLiveStage<T>(
  { model, variables, say }: LiveOptions,
  work: (stage: LiveStage) => Promise<T>,
): Promise<T> {
  const github = await startGitHub();
  const dataDir = await mkdtemp(join(tmpdir(), 'dsh-live-'));
  const environment = {
    ...variables,
    ...{ GITHUB_API_URL: github.apiUrl, GITHUB_SERVER_URL: github.url, GITHUB_TOKEN: github.createToken('maria') },
    ...{ DSH_DATA_DIR: dataDir, DSH_MODEL: model },
  };
  const host = await openHost(environment, (message, error) => say(`${message} ${String(error ?? '')}`));
  try {
    return await work({ github, host });
  } finally {
    await host.bot.close();
    await github.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
