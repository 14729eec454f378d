import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobOutcome } from '../../src/bot/job/job.ts';
import { openHost } from '../../src/cli/open-host.ts';
import { runOnSubject } from '../../src/cli/run-on-subject.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { scoreOf } from './score.ts';
import type { Score } from './score.ts';
import type { Seed } from './seed.ts';

export interface LiveScore extends Score {
  readonly id: string;
  readonly tokens: number;
  readonly cost: number | undefined;
  readonly promptVersion: string | undefined;
}

/** Each seed as a pull request on the test GitHub, reviewed by a real model with a real sandbox. `model` is provider/model. */
export async function runLive(
  seeds: readonly Seed[],
  { model, variables, say }: { model: string; variables: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<LiveScore[]> {
  const github = await startGitHub();
  const dataDir = await mkdtemp(join(tmpdir(), 'dsh-review-live-'));
  const environment = {
    ...variables,
    ...{ GITHUB_API_URL: github.apiUrl, GITHUB_SERVER_URL: github.url, GITHUB_TOKEN: github.createToken('maria') },
    ...{ DSH_DATA_DIR: dataDir, DSH_MODEL: model },
  };
  const host = await openHost(environment, (message, error) => say(`${message} ${String(error ?? '')}`));
  try {
    const scores: LiveScore[] = [];
    for (const seed of seeds) {
      const url = await openPull(github, seed);
      const call = { command: 'review' as const, url, text: '', dryRun: false };
      const signal = new AbortController().signal;
      const [handled] = await runOnSubject(call, { ...host, inputs: {}, say: () => {}, signal });
      scores.push({ id: seed.id, ...scoreOf(seed, told(github, seed)), ...spent(handled?.outcome) });
      say(JSON.stringify(scores.at(-1)));
    }
    return scores;
  } finally {
    await host.bot.close();
    await github.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function openPull(github: GitHubServer, { id, path, base, head }: Seed): Promise<string> {
  await github.addRepository({ owner: 'acme', name: id, files: { [path]: base, 'README.md': `${id}\n` } });
  github.addCollaborator(`acme/${id}`, 'maria', 'write');
  await github.push(`acme/${id}`, { by: 'maria', branch: 'change', files: { [path]: head } });
  const fields = { by: 'maria', title: 'Change it', body: '', head: 'change', base: 'main' };
  const { number } = await github.openPull(`acme/${id}`, fields);
  return `${github.url}/acme/${id}/pull/${number}`;
}

function told(github: GitHubServer, { id }: Seed) {
  const { pull } = github.state.findRepository(`acme/${id}`)!.issues.get(1)!;
  const inline = pull!.threads.map(({ line, comments }) => ({ line, title: comments[0]!.body }));
  const rest = pull!.reviews.flatMap(({ body }) => [...body.matchAll(/^\*\*\w+: (.+)\*\* \(/gm)]);
  return [...inline, ...rest.map(([, title = '']) => ({ line: undefined, title }))];
}

function spent(outcome: JobOutcome | undefined) {
  return { tokens: outcome?.tokens ?? 0, cost: outcome?.cost, promptVersion: outcome?.promptVersion };
}
