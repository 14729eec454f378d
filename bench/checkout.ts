import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { GitFixture, GIT_ENV } from '../test/github/support/git-fixture.ts';
import { ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const FILES = 20_000;

/** B13: a checkout for a new session of a repository that is known already, against `git worktree add` of the commit. */
export const checkout: Benchmark = {
  id: 'B13',
  async run(rounds) {
    const repository = new GitFixture();
    try {
      repository.commit(manyFiles());
      const mirror = join(repository.root, 'mirror.git');
      run(['clone', '--quiet', '--mirror', repository.origin, mirror]);
      await repository.open(undefined, { session: 'first' });
      let session = 0;
      const [figure, reference] = await takeTurns(
        rounds,
        () => timed(async () => repository.open(undefined, { session: `s${session++}` })),
        () => timed(async () => worktree(mirror, join(repository.root, `w${session}`))),
      );
      const what = `second checkout, ${FILES.toLocaleString('en')} files`;
      return [ratioRow('B13', what, { figure, reference, unit: 'ms' }, { atMost: 1.2 })];
    } finally {
      repository.close();
    }
  },
};

function manyFiles(): Record<string, string> {
  const paths = Array.from({ length: FILES }, (_, i) => `src/part-${i % 200}/file-${i}.ts`);
  return Object.fromEntries(paths.map((path, i) => [path, `export const value${i} = ${i};\n`.repeat(20)]));
}

function worktree(mirror: string, folder: string): void {
  run(['-C', mirror, 'worktree', 'add', '--quiet', '--detach', folder, 'main']);
}

function run(args: string[]): void {
  execFileSync('git', args, { env: GIT_ENV, stdio: 'ignore' });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
