import { runOnSubject } from '../../src/cli/run-on-subject.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { onLiveStage } from '../live-stage.ts';
import type { LiveOptions, LiveStage } from '../live-stage.ts';
import { publishedTree } from './published-tree.ts';
import { runTests } from './run-tests.ts';
import type { RunIn } from './run-tests.ts';
import { scoreOf } from './score.ts';
import type { FixScore } from './score.ts';
import type { FixTask } from './task.ts';

export interface FixOptions extends LiveOptions {
  readonly runIn: RunIn;
}

/** Each task as an issue on the test GitHub, worked on by a real model with a real sandbox. */
export async function runLive(tasks: readonly FixTask[], options: FixOptions): Promise<FixScore[]> {
  return onLiveStage(options, async (stage) => {
    const scores: FixScore[] = [];
    for (const task of tasks) {
      scores.push(await attempt(task, stage, options));
      options.say(JSON.stringify(scores.at(-1)));
    }
    return scores;
  });
}

async function attempt(task: FixTask, { github, host }: LiveStage, { runIn }: FixOptions): Promise<FixScore> {
  const startedAt = performance.now();
  const call = { command: 'fix' as const, url: await openIssue(github, task), text: '', dryRun: false };
  const signal = new AbortController().signal;
  const [handled] = await runOnSubject(call, { ...host, inputs: {}, say: () => {}, signal });
  const outcome = handled?.outcome;
  const events = outcome ? (await host.bot.sessions.inspect(outcome.session)).events : [];
  const minutes = (performance.now() - startedAt) / 60_000;
  const { gitDir } = github.state.findRepository(`acme/${task.id}`)!;
  const produced = outcome?.produced;
  const tree = produced && 'branch' in produced ? await publishedTree(gitDir, produced.branch) : undefined;
  return scoreOf(task, { outcome, events, tree, minutes }, await runTests(task, tree ?? task.files, runIn));
}

async function openIssue(github: GitHubServer, { id, files, title, body, comment }: FixTask): Promise<string> {
  const name = `acme/${id}`;
  await github.addRepository({ owner: 'acme', name: id, files });
  github.addCollaborator(name, 'maria', 'write');
  const { number } = await github.openIssue(name, { by: 'tom', title, body });
  if (comment !== undefined) await github.comment(name, number, { by: 'tom', body: comment });
  return `${github.url}/${name}/issues/${number}`;
}
