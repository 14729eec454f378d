import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkSuggestions } from '../../src/bot/review/check-suggestions.ts';
import type { DiffFile } from '../../src/github/diff/types.ts';
import { parseGitDiff } from '../../src/github/diff/parse-git-diff.ts';
import type { Context } from '../../src/harness/kernel/context.ts';
import type { BashExecutor } from '../../src/seams/bash/executor.ts';
import { MemoryBash } from '../support/memory-bash.ts';
import { found } from '../publish/support/one-pull.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
beforeAll(async () => {
  bench = await openBench({ mode: 'read-only' });
}, 60_000);
afterAll(() => bench.close());

const added = (path: string, lines: readonly string[]): DiffFile[] =>
  parseGitDiff(
    [
      `diff --git a/${path} b/${path}`,
      'new file mode 100644',
      '--- /dev/null',
      `+++ b/${path}`,
      `@@ -0,0 +1,${lines.length} @@`,
    ]
      .concat(
        lines.map((line) => `+${line}`),
        '',
      )
      .join('\n'),
  );

/** Whether a suggestion for line 2 of a file is left after the check. */
async function isLeft(
  path: string,
  lines: readonly string[],
  suggestion: string,
  bash: BashExecutor,
): Promise<boolean> {
  const finding = found({ path, startLine: 2, endLine: 2, code: lines[1]!, suggestion });
  const keyed = { finding, mark: { fingerprint: 'f', span: 1 } };
  const { signal } = new AbortController();
  const place = {
    root: { bash } as Context,
    policy: undefined,
    signal,
    files: added(path, lines),
    headFile: () => `${lines.join('\n')}\n`,
  };
  const [checked] = await checkSuggestions([keyed], place);
  expect(checked).toMatchObject({ finding: { title: finding.title, body: finding.body }, mark: keyed.mark });
  return checked!.finding.suggestion !== undefined;
}

const PYTHON = ['def f(a):', '    return a', ''];
const SHELL = ['if true', 'then echo a', 'fi'];
const BROKEN = ['def f(a', '    return a', ''];

describe('bot-review', () => {
  it.each([
    ['Python that reads', 'a.py', PYTHON, '    return a + 1', true],
    ['Python that does not', 'a.py', PYTHON, '    return a +', false],
    ['Python that did not before', 'a.py', BROKEN, '    return a +', true],
    ['shell that reads', 'a.sh', SHELL, 'then echo b', true],
    ['shell that does not', 'a.sh', SHELL, 'echo b', false],
    ['a language without a checker here', 'a.rb', ['def f', '  1', 'end'], '  1 +', true],
    ['a language without a checker at all', 'a.cobol', ['a', 'b', 'c'], 'd', true],
  ])('R4 the checker in the sandbox judges %s', async (_what, path, lines, suggestion, left) => {
    expect(await isLeft(path, lines, suggestion, bench.bash())).toBe(left);
  });

  it('R4 runs nothing of the file, and a sandbox that is gone takes no suggestion away', async () => {
    const lines = ['import os', 'os.makedirs("/tmp/ran")', ''];
    expect(await isLeft('a.py', lines, 'os.makedirs("/tmp/ran2")', bench.bash())).toBe(true);
    const { stdout } = await bench.bash().run(bench.bash().resolve({ command: 'ls /tmp' }));
    expect(stdout.text).not.toContain('ran');

    const gone = new MemoryBash({}, { missing: ['/workspace'] });
    expect(await isLeft('a.py', PYTHON, '    return a +', gone)).toBe(true);
  });
});
