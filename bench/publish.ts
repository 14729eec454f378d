import { randomBytes } from 'node:crypto';
import { publishCommit } from '../src/github/publish-commit.ts';
import { stageChanges } from '../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../src/github/tree/tree-changes.ts';
import { DemoGitHub, REPO } from '../test/github/support/demo-github.ts';
import { writeFiles } from '../test/github/support/git-fixture.ts';
import type { Content } from '../test/github/support/git-fixture.ts';
import { median, ratioRow } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';

const FILES = 200;
/** What a minute's points allow at once: a write costs 5 of 900, and the tree, commit and branch are writes, too. */
const FILES_OF_A_MINUTE = 150;
const LATENCY_MS = 20;

/** B14: publishing many changed files where each call takes its time, against the time of one call. */
export const publish: Benchmark = {
  id: 'B14',
  async run(rounds) {
    const demo = await DemoGitHub.start();
    try {
      demo.server.faults.latencyMs = LATENCY_MS;
      const call = await oneCall(demo);
      return [
        await measure(demo, rounds, { files: FILES, what: 'text', content: textOf, call, atMost: 8 }),
        await measure(demo, 1, { files: FILES_OF_A_MINUTE, what: 'binary', content: bytesOf, call, atMost: 30 }),
        await measure(demo, 1, { files: FILES, what: 'binary', content: bytesOf, call, atMost: 30 }),
      ];
    } finally {
      await demo.close();
    }
  },
};

const textOf = (i: number) => `line ${i}\n`.repeat(50);
const bytesOf = () => randomBytes(500);

interface Kind {
  readonly files: number;
  readonly what: string;
  readonly content: (i: number) => Content;
  /** Milliseconds of one call. */
  readonly call: number;
  readonly atMost: number;
}

async function measure(demo: DemoGitHub, rounds: number, { files, what, content, call, atMost }: Kind): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const checkout = await demo.open();
    const paths = Array.from({ length: files }, (_, i) => `${what}/${round}/${i}`);
    writeFiles(checkout.workTree, Object.fromEntries(paths.map((path, i) => [path, content(i)])));
    const staged = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);
    const startedAt = performance.now();
    await publishCommit(demo.connect(), REPO, {
      ...{ staged, message: 'many files', branch: `dsh/${what}-${files}-${round}`, isOwn: false },
    });
    times.push(performance.now() - startedAt);
  }
  const figures = { figure: median(times), reference: call, unit: 'ms' };
  return ratioRow('B14', `${files} ${what} files published`, figures, { atMost });
}

/** What one call takes with its latency, on a connection that is open. */
async function oneCall(demo: DemoGitHub): Promise<number> {
  const github = demo.connect();
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startedAt = performance.now();
    await github.rest.git.getRef({ ...REPO, ref: 'heads/main' });
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
