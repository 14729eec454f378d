import type { JobOutcome } from '../../src/bot/job/job.ts';
import { runOnSubject } from '../../src/cli/run-on-subject.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { onLiveStage } from '../live-stage.ts';
import type { LiveOptions } from '../live-stage.ts';
import { scoreOf } from './score.ts';
import type { Score } from './score.ts';
import type { Seed } from './seed.ts';

export interface LiveScore extends Score {
  readonly id: string;
  readonly tokens: number;
  readonly cost: number | undefined;
  readonly promptVersion: string | undefined;
}

/** Each seed as a pull request on the test GitHub, reviewed by a real model with a real sandbox. */
export async function runLive(seeds: readonly Seed[], options: LiveOptions): Promise<LiveScore[]> {
  return onLiveStage(options, async ({ github, host }) => {
    const scores: LiveScore[] = [];
    for (const seed of seeds) {
      const url = await openPull(github, seed);
      const call = { command: 'review' as const, url, text: '', dryRun: false };
      const signal = new AbortController().signal;
      const [handled] = await runOnSubject(call, { ...host, inputs: {}, say: () => {}, signal });
      scores.push({ id: seed.id, ...scoreOf(seed, told(github, seed)), ...spent(handled?.outcome) });
      options.say(JSON.stringify(scores.at(-1)));
    }
    return scores;
  });
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
