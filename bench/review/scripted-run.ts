import { callsAll, says } from '../../test/support/scripted-model.ts';
import { RoleModel, refuter } from '../../test/bot/support/role-model.ts';
import { ReviewStage } from '../../test/bot/support/review-stage.ts';
import { carelessReports, WRONG } from './careless-reviewer.ts';
import { scoreOf } from './score.ts';
import type { Score, Told } from './score.ts';
import type { Language, Seed } from './seed.ts';

export interface ScriptedScore {
  readonly first: Score;
  /** After a push that moves everything by seven lines, on which the reviewer says all of it again in other words. */
  readonly moved: Score;
  /** Threads that are still open after a push that mends everything. */
  readonly leftOpen: number;
}

const SHIFT = 7;

/** The pipeline with a careless reviewer: three pushes of each seed on the test GitHub. */
export async function runScripted(
  seeds: readonly Seed[],
  done: (id: string) => void = () => {},
): Promise<ScriptedScore[]> {
  const stage = await ReviewStage.start(Object.fromEntries(seeds.map((seed) => [pathOf(seed), seed.base])));
  try {
    const scores: ScriptedScore[] = [];
    for (const seed of seeds) {
      scores.push(await runSeed(stage, seed));
      done(seed.id);
    }
    return scores;
  } finally {
    await stage.bench.close();
  }
}

async function runSeed(stage: ReviewStage, seed: Seed): Promise<ScriptedScore> {
  const path = pathOf(seed);
  const above = Array.from({ length: SHIFT }, (_, at) => `${COMMENTS[seed.language]} note ${at}\n`).join('');
  await stage.openPull({ [path]: seed.head });
  await review(stage, reviewer(seed, path, { shift: 0, words: '' }));
  const first = scoreOf(seed, told(stage));

  await stage.push({ [path]: above + seed.head });
  await review(stage, reviewer(seed, path, { shift: SHIFT, words: ', as said before' }));
  const moved = scoreOf(seed, told(stage, SHIFT), SHIFT);

  await stage.push({ [path]: above + seed.base });
  const mended = { refuter: () => refuter('refuted', `${path}:1 is as it was.`) };
  await review(stage, new RoleModel([says('All is mended.')], mended));
  const leftOpen = stage.threads.filter(({ resolvedBy }) => resolvedBy === null).length;
  return { first, moved, leftOpen };
}

/** Throws where no review came of it: then there is nothing to score. */
async function review(stage: ReviewStage, model: RoleModel): Promise<void> {
  const { outcome } = await stage.review({ model });
  if (outcome.status !== 'completed')
    throw new Error(`the review ended as ${outcome.status}: ${outcome.problem?.message}`);
}

function reviewer(seed: Seed, path: string, words: { shift: number; words: string }): RoleModel {
  const reports = carelessReports(seed, path, words);
  const script = [
    callsAll(...reports.map((report): [string, object] => ['report_finding', report])),
    says('That is all.'),
  ];
  return new RoleModel(script, {
    refuter: (task) =>
      task.includes(WRONG) ? refuter('refuted', `${path}:1 guards it.`) : refuter('confirmed', `${path}:2`),
  });
}

/** All threads, by the line they stand on now, and what is told in the body of the newest review alone. */
function told(stage: ReviewStage, shift = 0): Told[] {
  const inline = stage.threads.map(({ line, commitId, comments }) => ({
    line: commitId === stage.pull.head.sha ? line : line + shift,
    title: comments[0]!.body,
  }));
  const rest = stage.bodies.at(-1)!.matchAll(/^\*\*\w+: (.+)\*\* \(/gm);
  return [...inline, ...[...rest].map(([, title = '']) => ({ line: undefined, title }))];
}

function pathOf({ id, path }: Seed): string {
  return `${id}/${path}`;
}

const COMMENTS: Readonly<Record<Language, string>> = {
  typescript: '//',
  python: '#',
  go: '//',
  java: '//',
  rust: '//',
};
