import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres } from '../scripts/postgres/find-postgres.ts';
import { startGitHub } from '../src/demo/github/start-github.ts';
import type { GitHubServer } from '../src/demo/github/start-github.ts';
import { calls, says } from '../src/demo/model/reply.ts';
import type { Script } from '../src/demo/model/reply.ts';
import { startModelServer } from '../src/demo/model/start-model-server.ts';
import { startCluster } from '../test/store/postgres-cluster.ts';
import { startAppProcess } from './app-process.ts';
import { ratioRow } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';

const TURNS = 64;
const STEPS = 10;
/** `worker.turns` of one process. */
const AT_ONCE = 4;
const REPOSITORIES = 16;
const KEY = 'bench-key';

/** B16: 64 queued turns of 10 steps on one worker, beside one turn alone; then on two workers that share PostgreSQL. */
export const throughput: Benchmark = {
  id: 'B16',
  async run() {
    const alone = await elapsedMs(1, 1);
    const one = await elapsedMs(TURNS, 1);
    const ideal = (alone * TURNS) / AT_ONCE;
    const rows = [
      ratioRow('B16', `${TURNS} turns, one worker`, { figure: one, reference: ideal, unit: 'ms' }, { atMost: 1.3 }),
    ];
    return findPostgres() ? [...rows, await twoWorkers()] : rows;
  },
};

async function twoWorkers(): Promise<Row> {
  const cluster = (await startCluster())!;
  try {
    const one = await elapsedMs(TURNS, 1, await cluster.createDatabase());
    const two = await elapsedMs(TURNS, 2, await cluster.createDatabase());
    const [figure, reference] = [TURNS / (two / 1_000), TURNS / (one / 1_000)];
    const what = `two workers on PostgreSQL (${availableParallelism()} cores)`;
    return ratioRow('B16', what, { figure, reference, unit: 'turns/s' }, { atLeast: 1.6 });
  } finally {
    await cluster.stop();
  }
}

/** From the first comment to the last answer. */
async function elapsedMs(turns: number, workers: number, databaseUrl?: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-turns-'));
  const github = await startGitHub();
  const model = await startModelServer({ script: TEN_STEPS, apiKey: KEY });
  const more = {
    ...{ DSH_DATA_DIR: folder, DSH_MODEL: 'deepseek/deepseek-flash', DSH_MODEL_BASE_URL: model.baseUrl },
    ...{ DEEPSEEK_API_KEY: KEY, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
  };
  const apps = [];
  for (let n = 0; n < workers; n++) apps.push(await startAppProcess('app-server.ts', { github, more }));
  try {
    await openIssues(github, turns);
    github.setWebhookTarget(apps[0]!.url);
    const startedAt = performance.now();
    await ask(github, turns);
    while (answered(github) < turns) await sleep(20);
    return performance.now() - startedAt;
  } finally {
    await Promise.all(apps.map((app) => app.close()));
    await model.close();
    await github.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const TEN_STEPS: Script = ({ messages }) => {
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < STEPS - 1
    ? calls('bash', { command: `echo ${done}`, description: 'Nothing' })
    : says('It is as it should be.');
};

const nameOf = (turn: number) => `shop${turn % REPOSITORIES}`;

async function openIssues(github: GitHubServer, turns: number): Promise<void> {
  for (let n = 0; n < Math.min(turns, REPOSITORIES); n++) {
    await github.addRepository({ owner: 'acme', name: nameOf(n), files: { 'README.md': 'shop\n' } });
  }
  for (let n = 0; n < turns; n++) {
    github.addCollaborator(`acme/${nameOf(n)}`, `person${n}`, 'write');
    await github.openIssue(`acme/${nameOf(n)}`, { by: `person${n}`, title: 'A question', body: '' });
  }
}

/** Each by a person of its own: nobody is to wait for a share. */
async function ask(github: GitHubServer, turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) {
    const number = Math.floor(n / REPOSITORIES) + 1;
    await github.comment(`acme/${nameOf(n)}`, number, { by: `person${n}`, body: '/dsh ask Is it well?' });
  }
}

function answered(github: GitHubServer): number {
  return [...github.state.repositories.values()]
    .flatMap(({ issues }) => [...issues.values()])
    .filter(({ comments }) => comments.some(({ body, author }) => author.type === 'Bot' && body.includes('**Done**')))
    .length;
}
