import { execFileSync } from 'node:child_process';
import { parseGitDiff } from '../src/github/diff/parse-git-diff.ts';
import { Finding } from '../src/publish/review/finding.ts';
import { placeFinding } from '../src/publish/review/place-finding.ts';
import { GIT_ENV, GitFixture } from '../test/github/support/git-fixture.ts';
import { ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const FILES = 40;
const LINES = 500;
const FINDINGS = 65;

/** B15: a diff of 20,000 changed lines parsed and findings placed on it, against `git apply --numstat` of the same diff. */
export const diff: Benchmark = {
  id: 'B15',
  async run(rounds) {
    const repository = new GitFixture();
    try {
      const from = repository.commit(version('old'));
      const to = repository.commit(version('new'));
      const text = `${repository.git('diff', '--src-prefix=a/', '--dst-prefix=b/', from, to)}\n`;
      const findings = Array.from({ length: FINDINGS }, (_, at) => findingAt(`src/file-${at % FILES}.ts`, 1 + at * 7));
      const [figure, reference] = await takeTurns(
        rounds * 3,
        async () => timed(() => placeAll(findings, text)),
        async () => timed(() => numstat(text, repository.origin)),
      );
      const what = `${FILES * LINES} changed lines parsed, ${FINDINGS} findings placed`;
      return [ratioRow('B15', what, { figure, reference, unit: 'ms' }, { atMost: 5 })];
    } finally {
      repository.close();
    }
  },
};

/** Every other line of each file changes, so that each change is a hunk or part of one. */
function version(word: string): Record<string, string> {
  const line = (at: number) =>
    at % 2 === 0 ? `export const value${at} = '${word}';` : `export const same${at} = ${at};`;
  const text = Array.from({ length: LINES }, (_, at) => line(at)).join('\n');
  return Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/file-${at}.ts`, `${text}\n`]));
}

function findingAt(path: string, line: number): Finding {
  return Finding.parse({
    ...{ path, side: 'RIGHT', startLine: line, endLine: line, severity: 'major', confidence: 0.8, title: 'It breaks' },
    ...{ body: 'When x = 1, y.', scenario: 'x = 1', evidence: 'traced', proof: `${path}:${line}` },
  });
}

function placeAll(findings: readonly Finding[], text: string): void {
  const files = parseGitDiff(text);
  for (const finding of findings) placeFinding(finding, files);
}

function numstat(input: string, cwd: string): void {
  execFileSync('git', ['apply', '--numstat', '-'], { input, env: GIT_ENV, cwd, stdio: ['pipe', 'ignore', 'inherit'] });
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
